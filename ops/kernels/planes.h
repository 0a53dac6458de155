// Planes: a stretch of a row of pixels with separated channels, for SIMD instructions. Internal to
// the kernels that compute with the colors of a pixel.
//
// Ownership: Planes are plain memory, for a thread's stack. Threads: any. Errors: none; the caller
// checks the image.
#pragma once

#include <sluice/runtime/image.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

// The number of pixels processed at once. They fit in the L1 cache and are a multiple of any
// vector, so kernels may compute whole vectors beyond the last pixel.
inline constexpr std::size_t kPlanePixels = 512;

struct Planes {
  alignas(128) std::array<std::array<std::uint8_t, kPlanePixels>, 4> channel{};
};

// Splits `count` pixels, at most kPlanePixels, of 3 or 4 channels. Accesses nothing beyond them.
void split_planes(const std::uint8_t* pixels, std::size_t count, int channels, Planes& planes);
void join_planes(const Planes& planes, std::size_t count, int channels, std::uint8_t* pixels);

// Calls f(planes, count) for each stretch of the image, which has 1, 3 or 4 channels. Then writes
// the first `channels` of the planes, 1, 3 or 4, to `out`. Planes that f does not touch are
// unchanged.
template <class F>
void map_planes(const Image& in, int channels, Image& out, const F& f) {
  const int before = in.channels();
  out.create(in.height(), in.width(), channels);
  const auto width = static_cast<std::size_t>(in.width());
  Planes planes;
  for (int y = 0; y < in.height(); ++y) {
    for (std::size_t x = 0; x < width; x += kPlanePixels) {
      const std::size_t count = std::min(kPlanePixels, width - x);
      const std::uint8_t* const from = in.row(y) + x * static_cast<std::size_t>(before);
      std::uint8_t* const to = out.row(y) + x * static_cast<std::size_t>(channels);
      if (before == 1) {
        std::copy_n(from, count, planes.channel[0].data());
      } else {
        split_planes(from, count, before, planes);
      }
      f(planes, count);
      if (channels == 1) {
        std::copy_n(planes.channel[0].data(), count, to);
      } else {
        join_planes(planes, count, channels, to);
      }
    }
  }
}
// For 3 or 4 channels, and as many in the result.
template <class F>
void map_planes(const Image& in, Image& out, const F& f) {
  map_planes(in, in.channels(), out, f);
}

}  // namespace sluice::kernels
