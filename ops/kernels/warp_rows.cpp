#include <sluice/ops/kernels/warp_rows.h>

#include <algorithm>
#include <cmath>

namespace sluice::kernels {
namespace {

// Coordinates are whole numbers of 2^-32 pixels: exact sums, so that the spans below hold for every
// pixel in them.
constexpr int kCoordinateBits = 32;
constexpr std::int64_t kOne = std::int64_t{1} << kCoordinateBits;
constexpr std::int64_t kHalf = kOne / 2;
constexpr int kWeightBits = 11;

std::int64_t fixed(double value) { return std::llrint(value * static_cast<double>(kOne)); }

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return q * b == a || (a < 0) == (b < 0) ? q : q - 1;
}
std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return -floor_divide(-a, b); }

// Output pixels begin .. end - 1; empty when end <= begin.
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
  // start + i * step >= low and <= high - 1, with the sense of i turned round for a negative step.
  const std::int64_t first =
      step > 0 ? ceil_divide(low - start, step) : ceil_divide(high - 1 - start, step);
  const std::int64_t last =
      step > 0 ? floor_divide(high - 1 - start, step) : floor_divide(low - start, step);
  span.begin = std::clamp(first, span.begin, span.end);
  span.end = std::clamp(last + 1, span.begin, span.end);
}

template <int channels>
void fill_pixels(const Fill& fill, std::int64_t begin, std::int64_t end, std::uint8_t* out) {
  for (std::int64_t i = begin; i < end; ++i) {
    for (int c = 0; c < channels; ++c) out[i * channels + c] = fill[c];
  }
}

struct FixedLine {
  std::int64_t x, y, dx, dy;
};

template <int channels>
void nearest_pixels(const Image& in, const FixedLine& line, const Span& span, std::uint8_t* out) {
  const std::uint8_t* data = in.data();
  const std::ptrdiff_t stride = in.row_stride();
  std::int64_t x = line.x + span.begin * line.dx;
  std::int64_t y = line.y + span.begin * line.dy;
  for (std::int64_t i = span.begin; i < span.end; ++i, x += line.dx, y += line.dy) {
    const std::uint8_t* from =
        data + (y >> kCoordinateBits) * stride + (x >> kCoordinateBits) * channels;
    for (int c = 0; c < channels; ++c) out[i * channels + c] = from[c];
  }
}

// The blend of four pixels; weights are those of the right and of the lower ones.
template <int channels>
void blend(const std::uint8_t* upper_left, const std::uint8_t* upper_right,
           const std::uint8_t* lower_left, const std::uint8_t* lower_right, int wx, int wy,
           std::uint8_t* out) {
  constexpr int kWhole = 1 << kWeightBits;
  for (int c = 0; c < channels; ++c) {
    const int upper = upper_left[c] * kWhole + (upper_right[c] - upper_left[c]) * wx;
    const int lower = lower_left[c] * kWhole + (lower_right[c] - lower_left[c]) * wx;
    const int sum = upper * (kWhole - wy) + lower * wy;
    out[c] = static_cast<std::uint8_t>((sum + (1 << (2 * kWeightBits - 1))) >> (2 * kWeightBits));
  }
}

int weight_of(std::int64_t coordinate) {
  return static_cast<int>((coordinate & (kOne - 1)) >> (kCoordinateBits - kWeightBits));
}

// Coordinates here are those of the upper left of the four pixels: half a pixel less. `inner`: all
// four exist in every place of the span; else those that do not are replaced by the nearest.
template <int channels, bool inner>
void bilinear_pixels(const Image& in, const FixedLine& line, const Span& span, std::uint8_t* out) {
  const std::uint8_t* data = in.data();
  const std::ptrdiff_t stride = in.row_stride();
  std::int64_t x = line.x + span.begin * line.dx;
  std::int64_t y = line.y + span.begin * line.dy;
  for (std::int64_t i = span.begin; i < span.end; ++i, x += line.dx, y += line.dy) {
    const std::int64_t column = x >> kCoordinateBits;
    const std::int64_t row = y >> kCoordinateBits;
    std::uint8_t* to = out + i * channels;
    if constexpr (inner) {
      const std::uint8_t* at = data + row * stride + column * channels;
      blend<channels>(at, at + channels, at + stride, at + stride + channels, weight_of(x),
                      weight_of(y), to);
    } else {
      const auto pixel = [&](std::int64_t r, std::int64_t c) {
        return data + std::clamp<std::int64_t>(r, 0, in.height() - 1) * stride +
               std::clamp<std::int64_t>(c, 0, in.width() - 1) * channels;
      };
      blend<channels>(pixel(row, column), pixel(row, column + 1), pixel(row + 1, column),
                      pixel(row + 1, column + 1), weight_of(x), weight_of(y), to);
    }
  }
}

template <int channels>
void warp(const Image& in, const WarpLine& place, bool nearest, const Fill& fill, int width,
          std::uint8_t* out) {
  FixedLine line{fixed(place.x), fixed(place.y), fixed(place.dx), fixed(place.dy)};
  const std::int64_t right = in.width() * kOne;
  const std::int64_t bottom = in.height() * kOne;
  Span span{0, width};
  clip(span, line.x, line.dx, 0, right);
  clip(span, line.y, line.dy, 0, bottom);
  fill_pixels<channels>(fill, 0, span.begin, out);
  fill_pixels<channels>(fill, span.end, width, out);
  if (nearest) return nearest_pixels<channels>(in, line, span, out);

  line.x -= kHalf;
  line.y -= kHalf;
  Span inner = span;
  clip(inner, line.x, line.dx, 0, right - kOne);
  clip(inner, line.y, line.dy, 0, bottom - kOne);
  bilinear_pixels<channels, false>(in, line, {span.begin, inner.begin}, out);
  bilinear_pixels<channels, true>(in, line, inner, out);
  bilinear_pixels<channels, false>(in, line, {inner.end, span.end}, out);
}

}  // namespace

void warp_row(const Image& in, const WarpLine& line, Interpolation interpolation, const Fill& fill,
              int width, std::uint8_t* out) {
  const bool nearest = interpolation == Interpolation::nearest;
  switch (in.channels()) {
    case 1:
      return warp<1>(in, line, nearest, fill, width, out);
    case 2:
      return warp<2>(in, line, nearest, fill, width, out);
    case 3:
      return warp<3>(in, line, nearest, fill, width, out);
    default:
      return warp<4>(in, line, nearest, fill, width, out);
  }
}

}  // namespace sluice::kernels
