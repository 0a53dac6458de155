// The pixels at places that have all of their neighbours: the work of most of the picture, by SIMD.
// Internal to place_sampler.cpp.
//
// Numbers are doubles, and are multiplied and added in the same order as for one place alone, so
// that all bytes are the same. Threads: any. Errors: none.
#pragma once

#include <sluice/ops/kernels/interpolation.h>
#include <sluice/runtime/image.h>

#include <array>
#include <cstdint>

namespace sluice::kernels {

constexpr int kPlacesAtOnce = 64;

// Keys' cubic convolution: of the pixels at -1, 0, 1 and 2, for a place t after that at 0.
inline std::array<double, 4> cubic_weights(double t) {
  constexpr double a = -0.75;
  const auto near = [](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  const auto far = [](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  return {far(t + 1), near(t), near(1 - t), far(2 - t)};
}

// Writes the pixels at (x[i], y[i]) for i < count <= kPlacesAtOnce, as PlaceSampler says, to out,
// and says for each whether it has done so. `count` pixels may be written over, and no more.
void sample_inner_places(const Image& in, Interpolation interpolation, const double* x,
                         const double* y, int count, std::uint8_t* out, bool* done);

}  // namespace sluice::kernels
