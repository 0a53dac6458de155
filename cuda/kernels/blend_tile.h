// Blend tiles: one tile of an image that is combined with another one: paste, at a position and
// perhaps through a mask, and blend. The arithmetic is that of occlusion.h and mix.h in
// ops/kernels. Internal to the kernel.
//
// Ownership: none. Threads and errors: none.
#pragma once

#include <sluice/cuda/kernels/image_view.h>

#include <cmath>
#include <cstdint>

namespace sluice::device {

enum class BlendBy : std::int32_t { share, mask, weights };

struct BlendJob {
  std::int32_t tiles = 0;
  BlendBy by = BlendBy::share;
  ImageIn in;
  ImageOut out;
  ImageIn patch;
  ImageIn mask;               // one channel, the size of the patch
  std::int32_t y = 0, x = 0;  // the patch's upper left corner
  double alpha = 1;           // multiplies the mask's values
  std::int32_t share = 255;   // the weight of the patch, in units of 1/255
  // The weights of both images, in units of 2^-15.
  std::int16_t weights[2] = {0, 0};
};

inline constexpr int kBlendPixels = 1024;  // per tile

SLUICE_HOST_DEVICE inline int mixed_level(int base, int patch, int share) {
  return (base * (255 - share) + patch * share + 127) / 255;
}

SLUICE_HOST_DEVICE inline int blended_level(int a, int b, const std::int16_t (&weights)[2]) {
  constexpr int kPoint = 7, kMost = 32767;
  const int first = (1 << (kPoint - 1)) + ((a * (1 << kPoint) * weights[0] + (1 << 14)) >> 15);
  const int sum =
      (first < kMost ? first : kMost) + ((b * (1 << kPoint) * weights[1] + (1 << 14)) >> 15);
  return (sum < kMost ? sum : kMost) >> kPoint;
}

// Does the `number`th tile of the sample.
SLUICE_HOST_DEVICE inline void blend_tile(const BlendJob& job, int number,
                                          const ThreadBlock& thread_block) {
  const std::uint8_t* const in = view_of(job.in);
  const std::uint8_t* const patch = view_of(job.patch);
  const std::uint8_t* const mask = job.by == BlendBy::mask ? view_of(job.mask) : nullptr;
  std::uint8_t* const out = view_of(job.out);
  const int width = job.out.width, channels = job.out.channels;
  for_pixels<kBlendPixels>(job.out.height, width, number, thread_block, [&](int y, int x) {
    const std::uint8_t* const base = in + y * job.in.stride + std::int64_t{x} * channels;
    std::uint8_t* const to = out + (std::int64_t{y} * width + x) * channels;
    const int row = y - job.y, column = x - job.x;
    if (row < 0 || row >= job.patch.height || column < 0 || column >= job.patch.width) {
      for (int c = 0; c < channels; ++c) to[c] = base[c];
      return;
    }
    const std::uint8_t* const over =
        patch + row * job.patch.stride + std::int64_t{column} * channels;
    if (job.by == BlendBy::weights) {
      for (int c = 0; c < channels; ++c)
        to[c] = static_cast<std::uint8_t>(blended_level(base[c], over[c], job.weights));
      return;
    }
    const int share =
        mask == nullptr
            ? job.share
            : static_cast<int>(lround(job.alpha * mask[row * job.mask.stride + column]));
    for (int c = 0; c < channels; ++c)
      to[c] = static_cast<std::uint8_t>(mixed_level(base[c], over[c], share));
  });
}

}  // namespace sluice::device
