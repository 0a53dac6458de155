#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/place_rows.h>
#include <sluice/ops/kernels/place_sampler.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {
void PlaceSampler::check(const char* op, const Image& in, const WarpOptions& options) {
  check_pixels(op, in);
  check_size(op, in.height(), in.width());
  check_warp(op, options.interpolation);
  if (options.border == Border::reflect) {
    throw std::invalid_argument(
        fmt::format("{}: border reflect is not possible; take constant or edge", op));
  }
}

PlaceSampler::PlaceSampler(const Image& in, const WarpOptions& options)
    : in_(in), options_(options) {
  const auto channels = static_cast<std::size_t>(in.channels());
  for (std::size_t i = 0; i < fills_.size(); ++i)
    fills_[i] = options.fill[static_cast<int>(i % channels)];
}

const std::uint8_t* PlaceSampler::pixel(int y, int x) const {
  const std::ptrdiff_t column = std::clamp(x, 0, in_.width() - 1);
  return in_.row(std::clamp(y, 0, in_.height() - 1)) + column * in_.channels();
}

void PlaceSampler::sample(double x, double y, std::uint8_t* out) const {
  const bool inside = x >= 0 && y >= 0 && x < in_.width() && y < in_.height();
  const bool fill = options_.border == Border::constant ? !inside : std::isnan(x) || std::isnan(y);
  if (fill) {
    for (int c = 0; c < in_.channels(); ++c) out[c] = options_.fill[c];
    return;
  }
  // Farther away, the nearest pixels are the same.
  x = std::clamp(x, -4.0, in_.width() + 4.0);
  y = std::clamp(y, -4.0, in_.height() + 4.0);
  switch (options_.interpolation) {
    case Interpolation::nearest:
      std::memcpy(out, pixel(static_cast<int>(std::floor(y)), static_cast<int>(std::floor(x))),
                  static_cast<std::size_t>(in_.channels()));
      return;
    case Interpolation::bicubic:
      bicubic(place_after_middle(x), place_after_middle(y), out);
      return;
    default:
      bilinear(place_after_middle(x), place_after_middle(y), out);
  }
}

template <int channels>
void PlaceSampler::sample_row_of(const double* x, const double* y, int count,
                                 std::uint8_t* out) const {
  const bool fills = options_.border == Border::constant;
  for (int first = 0; first < count; first += kPlacesAtOnce) {
    // The last group of a row is as large as the others, so some pixels are sampled twice.
    first = std::max(std::min(first, count - kPlacesAtOnce), 0);
    const int places = std::min(kPlacesAtOnce, count - first);
    std::uint8_t* const to = out + std::ptrdiff_t{first} * channels;
    const auto [done, outside] =
        sample_inner_places(in_, options_.interpolation, x + first, y + first, places, to);
    const std::uint64_t all =
        places < kPlacesAtOnce ? (std::uint64_t{1} << places) - 1 : ~std::uint64_t{0};
    std::uint64_t left = all & ~done;
    if (fills) {
      left &= ~outside;
      for (std::uint64_t filled = all & outside; filled != 0;) {
        const int begin = std::countr_zero(filled), run = std::countr_one(filled >> begin);
        std::memcpy(to + std::ptrdiff_t{begin} * channels, fills_.data(),
                    static_cast<std::size_t>(run) * channels);
        if (begin + run == kPlacesAtOnce) break;
        filled &= ~std::uint64_t{0} << (begin + run);
      }
    }
    for (; left != 0; left &= left - 1) {
      const int i = std::countr_zero(left);
      sample(x[first + i], y[first + i], to + std::ptrdiff_t{i} * channels);
    }
  }
}

void PlaceSampler::sample_row(const double* x, const double* y, int count,
                              std::uint8_t* out) const {
  switch (in_.channels()) {
    case 1:
      return sample_row_of<1>(x, y, count, out);
    case 2:
      return sample_row_of<2>(x, y, count, out);
    case 3:
      return sample_row_of<3>(x, y, count, out);
    default:
      return sample_row_of<4>(x, y, count, out);
  }
}

void PlaceSampler::bilinear(int x, int y, std::uint8_t* out) const {
  constexpr int kFraction = (1 << kWeightBits) - 1;
  const int column = x >> kWeightBits, row = y >> kWeightBits;
  const std::uint8_t* const above[] = {pixel(row, column), pixel(row, column + 1)};
  const std::uint8_t* const under[] = {pixel(row + 1, column), pixel(row + 1, column + 1)};
  for (int c = 0; c < in_.channels(); ++c) {
    out[c] = blend_of_four(above[0][c], above[1][c], under[0][c], under[1][c], x & kFraction,
                           y & kFraction);
  }
}

void PlaceSampler::bicubic(int x, int y, std::uint8_t* out) const {
  constexpr int kFraction = (1 << kWeightBits) - 1;
  const int column = x >> kWeightBits, row = y >> kWeightBits;
  const auto& across = cubic_table()[static_cast<std::size_t>(x & kFraction)];
  const auto& down = cubic_table()[static_cast<std::size_t>(y & kFraction)];
  for (int c = 0; c < in_.channels(); ++c) {
    int sum = 0;
    for (int r = 0; r < 4; ++r) {
      int levels = 0;
      for (int k = 0; k < 4; ++k)
        levels += across[static_cast<std::size_t>(k)] * pixel(row - 1 + r, column - 1 + k)[c];
      sum += down[static_cast<std::size_t>(r)] * cubic_row(levels);
    }
    out[c] = cubic_level(sum);
  }
}

}  // namespace sluice::kernels
