// Pixels between four neighbours that all exist, by SIMD: the work of most of a picture that is
// turned, sheared or moved along no straight lines. Internal to warp_rows and place_sampler.
//
// Places on a line are whole numbers of 2^-32 pixels: sums are exact, so every way to walk along it
// meets the same places. Weights have 11 bits, and the sum is rounded once, to nearest. Threads:
// any.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

constexpr int kPlaceBits = 32;
constexpr int kWeightBits = 11;

// Places (x + i * dx, y + i * dy) for i = 0, 1, ...; the upper left of four pixels stands at the
// whole part, and the fraction says how near the others are.
struct FixedLine {
  std::int64_t x = 0, y = 0, dx = 0, dy = 0;
  FixedLine at(std::int64_t i) const { return {x + i * dx, y + i * dy, dx, dy}; }
};

// The bits of the fraction that weigh.
inline int weight_of(std::int64_t place) {
  const std::int64_t fraction = place & ((std::int64_t{1} << kPlaceBits) - 1);
  return static_cast<int>(fraction >> (kPlaceBits - kWeightBits));
}

// One channel of four pixels: those of the upper row, those of the lower one; the weights are those
// of the right and of the lower ones.
inline std::uint8_t blend_of_four(int upper_left, int upper_right, int lower_left, int lower_right,
                                  int wx, int wy) {
  constexpr int kWhole = 1 << kWeightBits;
  const int upper = upper_left * kWhole + (upper_right - upper_left) * wx;
  const int lower = lower_left * kWhole + (lower_right - lower_left) * wx;
  const int sum = upper * kWhole + (lower - upper) * wy;
  return static_cast<std::uint8_t>((sum + (1 << (2 * kWeightBits - 1))) >> (2 * kWeightBits));
}

// So many columns, from that of a place on, must exist for blend_places: it reads 8 bytes.
constexpr int columns_read(int channels) { return std::max(2, (7 + channels) / channels); }

// Writes `count` pixels at `out`. Every place lies in a row that has one below it, and in a column
// with those above to its right. `data`: the picture's first pixel. Channels: 1 to 4. The stride
// fits in 32 bits.
void blend_places(const std::uint8_t* data, std::ptrdiff_t stride, int channels,
                  const FixedLine& line, std::int64_t count, std::uint8_t* out);
// The same at the places (x[i], y[i]), in whole numbers of 2^-11 pixels, not below zero.
void blend_places(const std::uint8_t* data, std::ptrdiff_t stride, int channels,
                  const std::int32_t* x, const std::int32_t* y, std::int64_t count,
                  std::uint8_t* out);

}  // namespace sluice::kernels
