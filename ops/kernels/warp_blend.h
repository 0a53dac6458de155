// Bilinear interpolation between four existing neighbors, by SIMD: most of the work of rotating,
// shearing or warping an image. Internal to warp_rows() and PlaceSampler.
//
// Positions on a line are whole numbers of 2^-32 pixels: sums are exact, so every order of
// traversal meets the same positions. Weights have 11 bits, and the sum is rounded once, to
// nearest. Threads: any.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

constexpr int kPlaceBits = 32;
constexpr int kWeightBits = 11;

// The positions (x + i * dx, y + i * dy) for i = 0, 1, ... The integer part is the upper left of
// four pixels; the fraction determines the weights.
struct FixedLine {
  std::int64_t x = 0, y = 0, dx = 0, dy = 0;
  FixedLine at(std::int64_t i) const { return {x + i * dx, y + i * dy, dx, dy}; }
};

struct WarpLine;
// Rounds positions in pixels.
FixedLine fixed_line(const WarpLine& line);

// Returns the weight: the upper bits of the fraction.
inline int weight_of(std::int64_t place) {
  const std::int64_t fraction = place & ((std::int64_t{1} << kPlaceBits) - 1);
  return static_cast<int>(fraction >> (kPlaceBits - kWeightBits));
}

// Interpolates one channel of four pixels. The weights are those of the right and of the lower
// pixels.
inline std::uint8_t blend_of_four(int upper_left, int upper_right, int lower_left, int lower_right,
                                  int wx, int wy) {
  constexpr int kWhole = 1 << kWeightBits;
  const int upper = upper_left * kWhole + (upper_right - upper_left) * wx;
  const int lower = lower_left * kWhole + (lower_right - lower_left) * wx;
  const int sum = upper * kWhole + (lower - upper) * wy;
  return static_cast<std::uint8_t>((sum + (1 << (2 * kWeightBits - 1))) >> (2 * kWeightBits));
}

// The number of columns, from a position's own on, that must exist for blend_places: it reads 8
// bytes.
constexpr int columns_read(int channels) { return std::max(2, (7 + channels) / channels); }

// Writes `count` pixels to `out`. For every position, the next row and columns_read() columns must
// exist in the image. `data`: the image's first pixel. channels: 1 to 4. The stride must fit in 32
// bits.
void blend_places(const std::uint8_t* data, std::ptrdiff_t stride, int channels,
                  const FixedLine& line, std::int64_t count, std::uint8_t* out);
// The same at the positions (x[i], y[i]), in whole numbers of 2^-11 pixels, not negative.
void blend_places(const std::uint8_t* data, std::ptrdiff_t stride, int channels,
                  const std::int32_t* x, const std::int32_t* y, std::int64_t count,
                  std::uint8_t* out);

}  // namespace sluice::kernels
