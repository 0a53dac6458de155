// noise(): images of noise to benchmark kernels on, the same in every run. No state. Errors:
// std::bad_alloc.
#pragma once

#include <sluice/runtime/image.h>

#include <cstddef>
#include <cstdint>

#include <benchmark/benchmark.h>

namespace sluice {

inline Image noise(int height, int width, int channels) {
  Image image(height, width, channels);
  std::uint32_t state = 1;
  for (int y = 0; y < height; ++y) {
    for (std::size_t i = 0; i < image.row_bytes(); ++i) {
      state = state * 1664525u + 1013904223u;
      image.row(y)[i] = static_cast<std::uint8_t>(state >> 24);
    }
  }
  return image;
}

// Runs a kernel on an image of 224 x 224 pixels.
template <class F>
void on_image(benchmark::State& state, const F& kernel) {
  const Image in = noise(224, 224, 3);
  for (auto _ : state) {
    Image out;
    kernel(in, out);
    benchmark::DoNotOptimize(out.data());
  }
}

}  // namespace sluice
