#include <sluice/ops/kernels/place_rows.h>
#include <sluice/ops/kernels/place_sampler.h>
#include <sluice/ops/kernels/warp_blend.h>
#include <sluice/ops/kernels/warp_rows.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace sluice::kernels {
namespace {

constexpr std::int64_t kOne = std::int64_t{1} << kPlaceBits;
constexpr std::int64_t kHalf = kOne / 2;

std::int64_t fixed(double value) { return std::llrint(value * static_cast<double>(kOne)); }

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return q * b == a || (a < 0) == (b < 0) ? q : q - 1;
}
std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return -floor_divide(-a, b); }

// Output pixels begin .. end - 1; empty if end <= begin.
struct Span {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// Shrinks the span to the i with low <= start + i * step < high.
void clip(Span& span, std::int64_t start, std::int64_t step, std::int64_t low, std::int64_t high) {
  if (step == 0) {
    if (start < low || start >= high) span.end = span.begin;
    return;
  }
  // Solves start + i * step >= low and <= high - 1; a negative step swaps the two limits.
  const std::int64_t first =
      step > 0 ? ceil_divide(low - start, step) : ceil_divide(high - 1 - start, step);
  const std::int64_t last =
      step > 0 ? floor_divide(high - 1 - start, step) : floor_divide(low - start, step);
  span.begin = std::clamp(first, span.begin, span.end);
  span.end = std::clamp(last + 1, span.begin, span.end);
}

template <int channels>
void fill_pixels(const Fill& fill, std::int64_t begin, std::int64_t end, std::uint8_t* out) {
  if (begin >= end) return;
  std::uint8_t* const to = out + begin * channels;
  const auto bytes = static_cast<std::size_t>((end - begin) * channels);
  for (int c = 0; c < channels; ++c) to[c] = fill[c];
  // Each copy doubles the filled part.
  for (std::size_t done = channels; done < bytes; done *= 2)
    std::memcpy(to + done, to, std::min(done, bytes - done));
}

template <int channels>
void nearest_pixels(const Image& in, const FixedLine& line, const Span& span, std::uint8_t* out) {
  const std::uint8_t* data = in.data();
  const std::ptrdiff_t stride = in.row_stride();
  std::int64_t x = line.x + span.begin * line.dx;
  std::int64_t y = line.y + span.begin * line.dy;
  for (std::int64_t i = span.begin; i < span.end; ++i, x += line.dx, y += line.dy) {
    const std::uint8_t* from = data + (y >> kPlaceBits) * stride + (x >> kPlaceBits) * channels;
    for (int c = 0; c < channels; ++c) out[i * channels + c] = from[c];
  }
}

// Like blend_places, for positions where some of the four pixels do not exist: the nearest existing
// pixel replaces them.
template <int channels>
void blend_at_border(const Image& in, const FixedLine& line, const Span& span, std::uint8_t* out) {
  const auto pixel = [&](std::int64_t row, std::int64_t column) {
    return in.data() + std::clamp<std::int64_t>(row, 0, in.height() - 1) * in.row_stride() +
           std::clamp<std::int64_t>(column, 0, in.width() - 1) * channels;
  };
  for (std::int64_t i = span.begin; i < span.end; ++i) {
    const auto [x, y, dx, dy] = line.at(i);
    const std::int64_t column = x >> kPlaceBits, row = y >> kPlaceBits;
    const std::uint8_t* upper_left = pixel(row, column);
    const std::uint8_t* upper_right = pixel(row, column + 1);
    const std::uint8_t* lower_left = pixel(row + 1, column);
    const std::uint8_t* lower_right = pixel(row + 1, column + 1);
    for (int c = 0; c < channels; ++c) {
      out[i * channels + c] = blend_of_four(upper_left[c], upper_right[c], lower_left[c],
                                            lower_right[c], weight_of(x), weight_of(y));
    }
  }
}

template <int channels>
void nearest_at_border(const Image& in, const FixedLine& line, const Span& span,
                       std::uint8_t* out) {
  for (std::int64_t i = span.begin; i < span.end; ++i) {
    const FixedLine place = line.at(i);
    const std::uint8_t* from =
        in.data() +
        std::clamp<std::int64_t>(place.y >> kPlaceBits, 0, in.height() - 1) * in.row_stride() +
        std::clamp<std::int64_t>(place.x >> kPlaceBits, 0, in.width() - 1) * channels;
    for (int c = 0; c < channels; ++c) out[i * channels + c] = from[c];
  }
}

template <int channels>
void warp(const Image& in, const WarpLine& place, const WarpOptions& options, int width,
          std::uint8_t* out) {
  FixedLine line{fixed(place.x), fixed(place.y), fixed(place.dx), fixed(place.dy)};
  const std::int64_t right = in.width() * kOne;
  const std::int64_t bottom = in.height() * kOne;
  Span inside{0, width};  // pixels whose source is in the image
  clip(inside, line.x, line.dx, 0, right);
  clip(inside, line.y, line.dy, 0, bottom);
  Span all{0, width};  // pixels that are not simply filled
  if (options.border == Border::constant) {
    fill_pixels<channels>(options.fill, 0, inside.begin, out);
    fill_pixels<channels>(options.fill, inside.end, width, out);
    all = inside;
  }
  if (options.interpolation == Interpolation::nearest) {
    nearest_at_border<channels>(in, line, {all.begin, inside.begin}, out);
    nearest_pixels<channels>(in, line, inside, out);
    nearest_at_border<channels>(in, line, {inside.end, all.end}, out);
    return;
  }

  line.x -= kHalf;
  line.y -= kHalf;
  Span inner = inside;
  clip(inner, line.x, line.dx, 0, right - (columns_read(channels) - 1) * kOne);
  clip(inner, line.y, line.dy, 0, bottom - kOne);
  if (in.row_stride() != static_cast<std::int32_t>(in.row_stride())) inner.end = inner.begin;
  blend_at_border<channels>(in, line, {all.begin, inner.begin}, out);
  blend_places(in.data(), in.row_stride(), channels, line.at(inner.begin), inner.end - inner.begin,
               out + inner.begin * channels);
  blend_at_border<channels>(in, line, {inner.end, all.end}, out);
}

}  // namespace

void warp_row(const Image& in, const WarpLine& line, const WarpOptions& options, int width,
              std::uint8_t* out) {
  switch (in.channels()) {
    case 1:
      return warp<1>(in, line, options, width, out);
    case 2:
      return warp<2>(in, line, options, width, out);
    case 3:
      return warp<3>(in, line, options, width, out);
    default:
      return warp<4>(in, line, options, width, out);
  }
}

void warp_rows(const Image& in, const AffineMap& from, const WarpOptions& options, Image& out) {
  if (options.interpolation == Interpolation::bicubic) {
    const std::array<double, 9> map{from.xx, from.xy, from.x0, from.yx, from.yy, from.y0, 0, 0, 1};
    warp_rows_of_places(
        in, options,
        [&](int y, double* xs, double* ys) {
          perspective_places(map, y + 0.5, out.width(), xs, ys);
        },
        out);
    return;
  }
  for (int y = 0; y < out.height(); ++y) {
    const double middle = y + 0.5;
    const WarpLine line{from.xx * 0.5 + from.xy * middle + from.x0,
                        from.yx * 0.5 + from.yy * middle + from.y0, from.xx, from.yx};
    warp_row(in, line, options, out.width(), out.row(y));
  }
}

}  // namespace sluice::kernels
