#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/place_rows.h>
#include <sluice/ops/kernels/place_sampler.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

std::uint8_t to_level(double value) {
  return static_cast<std::uint8_t>(std::clamp(value + 0.5, 0.0, 255.0));
}

}  // namespace

void PlaceSampler::check(const char* op, const Image& in, const WarpOptions& options) {
  check_pixels(op, in);
  check_size(op, in.height(), in.width());
  if (options.interpolation != Interpolation::bicubic) check_warp(op, options.interpolation);
  if (options.border == Border::reflect) {
    throw std::invalid_argument(
        fmt::format("{}: border reflect is not possible; take constant or edge", op));
  }
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
  // Farther away the nearest pixels are the same.
  x = std::clamp(x, -4.0, in_.width() + 4.0);
  y = std::clamp(y, -4.0, in_.height() + 4.0);
  switch (options_.interpolation) {
    case Interpolation::nearest:
      std::memcpy(out, pixel(static_cast<int>(std::floor(y)), static_cast<int>(std::floor(x))),
                  static_cast<std::size_t>(in_.channels()));
      return;
    case Interpolation::bicubic:
      bicubic(x - 0.5, y - 0.5, out);
      return;
    default:
      bilinear(x - 0.5, y - 0.5, out);
  }
}

void PlaceSampler::sample_row(const double* x, const double* y, int count,
                              std::uint8_t* out) const {
  bool done[kPlacesAtOnce];
  for (int first = 0; first < count; first += kPlacesAtOnce) {
    const int places = std::min(kPlacesAtOnce, count - first);
    std::uint8_t* const to = out + std::ptrdiff_t{first} * in_.channels();
    sample_inner_places(in_, options_.interpolation, x + first, y + first, places, to, done);
    for (int i = 0; i < places; ++i)
      if (!done[i]) sample(x[first + i], y[first + i], to + std::ptrdiff_t{i} * in_.channels());
  }
}

void PlaceSampler::bilinear(double x, double y, std::uint8_t* out) const {
  const int column = static_cast<int>(std::floor(x)), row = static_cast<int>(std::floor(y));
  const double right = x - column, below = y - row;
  const std::uint8_t* const above[] = {pixel(row, column), pixel(row, column + 1)};
  const std::uint8_t* const under[] = {pixel(row + 1, column), pixel(row + 1, column + 1)};
  for (int c = 0; c < in_.channels(); ++c) {
    const double top = above[0][c] + (above[1][c] - above[0][c]) * right;
    const double bottom = under[0][c] + (under[1][c] - under[0][c]) * right;
    out[c] = to_level(top + (bottom - top) * below);
  }
}

void PlaceSampler::bicubic(double x, double y, std::uint8_t* out) const {
  const int column = static_cast<int>(std::floor(x)), row = static_cast<int>(std::floor(y));
  const std::array<double, 4> across = cubic_weights(x - column), down = cubic_weights(y - row);
  std::array<double, 4> sums{};
  for (std::size_t r = 0; r < 4; ++r) {
    for (std::size_t k = 0; k < 4; ++k) {
      const std::uint8_t* const from =
          pixel(row - 1 + static_cast<int>(r), column - 1 + static_cast<int>(k));
      const double weight = down[r] * across[k];
      for (int c = 0; c < in_.channels(); ++c)
        sums[static_cast<std::size_t>(c)] += weight * from[c];
    }
  }
  for (int c = 0; c < in_.channels(); ++c) out[c] = to_level(sums[static_cast<std::size_t>(c)]);
}

}  // namespace sluice::kernels
