// Inner loops on the colors of pixels, by SIMD instructions chosen when the program runs: luma,
// color matrices and the rotation of hues. Also Planes, in which some of them work. Internal to the
// kernels that compute with the colors of a pixel.
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

// A stretch of a row of pixels with separated channels.
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

// The inner loop of hue(). Works in place on the first `count` pixels, and may change those after
// them. `sixths`: the rotation in sixths of the circle, 0 to 6.
void hue_of_planes(float sixths, std::size_t count, Planes& planes);

// Luma is the lightness of a color as an integer; Pillow's conversion to gray, bit for bit.
//
//   luma = (19595 R + 38470 G + 7471 B + 32768) >> 16      (0.299, 0.587, 0.114)

inline constexpr std::array<float, 3> kLumaOf65536{19595.f, 38470.f, 7471.f};

// Computes the luma of `count` pixels of 3 or 4 channels.
void luma_of_pixels(const std::uint8_t* pixels, std::size_t count, int channels,
                    std::uint8_t* luma);

// Writes pixels of three equal channels.
void repeat_thrice(const std::uint8_t* levels, std::size_t count, std::uint8_t* out);

// Returns the mean luma of an image with 1, 3 or 4 channels; for 1 channel, the mean pixel value.
// Exact except for the division.
double mean_luma(const Image& in);

// A color matrix (color.h) for the inner loops: a result is the integer part of row[3] + row[0] *
// R + row[1] * G + row[2] * B, summed in this order. row[3] includes the 0.5 for rounding.
using FloatMatrix = std::array<std::array<float, 4>, 3>;

// Works in place on the first `count` pixels, and may change those after them.
void color_matrix_of_planes(const FloatMatrix& matrix, std::size_t count, Planes& planes);
// Works on exactly `count` pixels of 3 or 4 channels.
void color_matrix_of_pixels(const FloatMatrix& matrix, const std::uint8_t* in, std::size_t count,
                            int channels, std::uint8_t* out);

}  // namespace sluice::kernels
