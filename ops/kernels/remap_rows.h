// Samples an image at many positions at once, by SIMD. Computes the source positions of a row in
// perspective, and the pixels at positions with all neighbors, which are most. Internal to
// places.cpp and to the operators that use it.
//
// All bytes equal those of PlaceSampler for a single position. Threads: any. Errors: none.
#pragma once

#include <sluice/ops/kernels/option_types.h>
#include <sluice/ops/kernels/warp_blend.h>
#include <sluice/runtime/image.h>

#include <array>
#include <cmath>
#include <cstdint>

namespace sluice::kernels {

constexpr int kPlacesAtOnce = 64;

// Returns a position relative to the center of pixel 0, in units of 2^-11 pixels, rounded to
// nearest. Its integer part in pixels is the pixel whose center precedes the position.
inline std::int32_t place_after_middle(double place) {
  constexpr double kWhole = 1 << kWeightBits;
  return static_cast<std::int32_t>(std::floor(place * kWhole - (kWhole - 1) / 2));
}

// Keys' cubic convolution with a = -0.75: the weights of the pixels at -1, 0, 1 and 2, in
// units of 2^-14, for a position `part` times 2^-11 after the pixel at 0. The sum is 1.
//
//   at -1: a t (1 - t)^2     at 0: (a + 2) t^3 - (a + 3) t^2 + 1     at 2: a (1 - t) t^2
constexpr int kCubicBits = 14;
constexpr std::array<std::int16_t, 4> cubic_weights(int part) {
  const std::int64_t t = part, rest = (1 << kWeightBits) - t;
  // Integers in units of 2^-35, not negative except for the outer ones, rounded to 2^-14.
  constexpr int kShift = 3 * kWeightBits + 2 - kCubicBits;
  const auto rounded = [](std::int64_t n) {
    return (n + (std::int64_t{1} << (kShift - 1))) >> kShift;
  };
  const std::int64_t before = -rounded(3 * t * rest * rest), last = -rounded(3 * rest * t * t);
  const std::int64_t at =
      (1 << kCubicBits) - rounded(9 * t * t * (1 << kWeightBits) - 5 * t * t * t);
  return {static_cast<std::int16_t>(before), static_cast<std::int16_t>(at),
          static_cast<std::int16_t>((1 << kCubicBits) - before - at - last),
          static_cast<std::int16_t>(last)};
}

const std::array<std::array<std::int16_t, 4>, 1 << kWeightBits>& cubic_table();

// Interpolates four values of a row, in units of 2^-6; and four such sums to the final value.
constexpr int kCubicRowBits = 6;
constexpr int cubic_row(int weighted_levels) {
  constexpr int kShift = kCubicBits - kCubicRowBits;
  return (weighted_levels + (1 << (kShift - 1))) >> kShift;
}
constexpr std::uint8_t cubic_level(int weighted_rows) {
  constexpr int kShift = kCubicBits + kCubicRowBits;
  const int level = (weighted_rows + (1 << (kShift - 1))) >> kShift;
  return static_cast<std::uint8_t>(level < 0 ? 0 : level > 255 ? 255 : level);
}

// One bit for each of kPlacesAtOnce positions: those whose pixels have been written, and those
// known to lie outside the image or nowhere. Nothing is known of the others.
struct PlacesDone {
  std::uint64_t done = 0;
  std::uint64_t outside = 0;
};

// Writes the pixels at (x[i], y[i]) for i < count <= kPlacesAtOnce to `out`, like PlaceSampler, as
// far as possible. The pixels of other positions have undefined content.
PlacesDone sample_inner_places(const Image& in, Interpolation interpolation, const double* x,
                               const double* y, int count, std::uint8_t* out);

// Computes the source positions of the centers of pixels 0 .. count - 1 of row `y`, by a matrix row
// by row: (m0 x + m1 y + m2) / w and (m3 x + m4 y + m5) / w, where w = m6 x + m7 y + m8. Instead of
// dividing by w, it multiplies by 1 / w.
void perspective_places(const std::array<double, 9>& map, double y, int count, double* to_x,
                        double* to_y);

}  // namespace sluice::kernels
