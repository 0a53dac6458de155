// Many places of a picture at once, by SIMD: the places of a row that is seen in perspective, and
// the pixels at those that have all of their neighbours, which are most. Internal to
// place_sampler.cpp and to the operators that use it.
//
// All bytes are those that PlaceSampler gives for one place alone. Threads: any. Errors: none.
#pragma once

#include <sluice/ops/kernels/interpolation.h>
#include <sluice/ops/kernels/warp_blend.h>
#include <sluice/runtime/image.h>

#include <array>
#include <cmath>
#include <cstdint>

namespace sluice::kernels {

constexpr int kPlacesAtOnce = 64;

// Where a place lies after the middle of the pixel before it, in whole numbers of 2^-11 pixels,
// rounded to nearest.
inline std::int32_t place_after_middle(double place) {
  constexpr double kWhole = 1 << kWeightBits;
  return static_cast<std::int32_t>(std::floor(place * kWhole - (kWhole - 1) / 2));
}

// Keys' cubic convolution with a = -0.75: what the pixels at -1, 0, 1 and 2 weigh, in 2^-14, for a
// place `part` times 2^-11 after that at 0. The sum is 1.
//
//   at -1: a t (1 - t)^2     at 0: (a + 2) t^3 - (a + 3) t^2 + 1     at 2: a (1 - t) t^2
constexpr int kCubicBits = 14;
constexpr std::array<std::int16_t, 4> cubic_weights(int part) {
  const std::int64_t t = part, rest = (1 << kWeightBits) - t;
  // Numbers of 2^-35 that are not below zero, but for the last ones, rounded to 2^-14.
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

// What four levels of a row give, in 2^-6 levels; and the level that four such sums give.
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

// Of kPlacesAtOnce places, a bit for each: those whose pixels have been written, and those that are
// known to lie outside of the picture or nowhere. Of the others nothing is known.
struct PlacesDone {
  std::uint64_t done = 0;
  std::uint64_t outside = 0;
};

// Writes the pixels at (x[i], y[i]) for i < count <= kPlacesAtOnce, as PlaceSampler says, to out,
// as far as it can. In the place of others anything may be written.
PlacesDone sample_inner_places(const Image& in, Interpolation interpolation, const double* x,
                               const double* y, int count, std::uint8_t* out);

// The places that the middles of the pixels 0 .. count - 1 of row `y` come from, by a matrix row by
// row: (m0 x + m1 y + m2) / w and (m3 x + m4 y + m5) / w, where w = m6 x + m7 y + m8. What is
// divided by it is multiplied by 1 / w.
void perspective_places(const std::array<double, 9>& map, double y, int count, double* to_x,
                        double* to_y);

}  // namespace sluice::kernels
