// Blur tiles: one tile of an image that is blurred along its columns, and then along its rows. Does
// gaussian_blur (symmetric weights) and box_blur (the mean), with the integer arithmetic of blur.h
// in ops/kernels. Internal to the kernels.
//
// Ownership: none. Threads and errors: none.
#pragma once

#include <sluice/cuda/kernels/image_view.h>

#include <cstddef>
#include <cstdint>

namespace sluice::device {

// The weights of one direction, see SideWeights. In device memory; null: each weight is 1, and the
// result is the mean.
struct BlurSide {
  const std::int16_t* weights = nullptr;
  std::int32_t count = 0, bits = 0;
};

struct BlurJob {
  std::int32_t tiles = 0;
  std::int32_t unused = 0;
  ImageIn in;
  ImageOut out;
  BlurSide down, across;
  std::uint16_t* levels = nullptr;  // device memory: one number for each pixel value of the image
};

inline constexpr int kBlurPixels = 1024;  // per tile
inline constexpr int kBlurLevelBits = 6;  // fractional bits between the two passes

SLUICE_HOST_DEVICE inline const std::int16_t* view_of(const BlurSide& side) {
  return side.weights == nullptr ? nullptr
                                 : device_view(side.weights, static_cast<std::size_t>(side.count));
}
SLUICE_HOST_DEVICE inline std::size_t levels_of(const BlurJob& job) {
  return static_cast<std::size_t>(std::int64_t{job.in.height} * job.in.width * job.in.channels);
}

// Along the columns. Writes pixel values with fractional bits, or sums of up to 255 pixel values.
SLUICE_HOST_DEVICE inline void blur_down_tile(const BlurJob& job, int number,
                                              const ThreadBlock& thread_block) {
  const std::uint8_t* const in = view_of(job.in);
  const std::int16_t* const weights = view_of(job.down);
  std::uint16_t* const out = device_view(job.levels, levels_of(job));
  const int height = job.in.height, width = job.in.width, channels = job.in.channels;
  const int shift = weights == nullptr ? 0 : job.down.bits - kBlurLevelBits;
  const std::int32_t half = weights == nullptr ? 0 : 1 << (shift - 1);
  for_pixels<kBlurPixels>(height, width, number, thread_block, [&](int y, int x) {
    const std::uint8_t* const column = in + std::int64_t{x} * channels;
    std::int32_t sums[4];
    SLUICE_UNROLL for (int c = 0; c < 4; ++c) sums[c] = half;
    for (int k = 0; k < job.down.count; ++k) {
      const std::uint8_t* const above = column + mirrored_place(y - k, height) * job.in.stride;
      const std::uint8_t* const below = column + mirrored_place(y + k, height) * job.in.stride;
      const int weight = weights == nullptr ? 1 : weights[k];
      SLUICE_UNROLL for (int c = 0; c < 4; ++c) {
        if (c < channels) sums[c] += (k == 0 ? above[c] : above[c] + below[c]) * weight;
      }
    }
    std::uint16_t* const to = out + (std::int64_t{y} * width + x) * channels;
    SLUICE_UNROLL for (int c = 0; c < 4; ++c) {
      if (c < channels) to[c] = static_cast<std::uint16_t>(sums[c] >> shift);
    }
  });
}

// Along the rows. Writes pixels.
SLUICE_HOST_DEVICE inline void blur_across_tile(const BlurJob& job, int number,
                                                const ThreadBlock& thread_block) {
  const std::uint16_t* const in =
      device_view(static_cast<const std::uint16_t*>(job.levels), levels_of(job));
  const std::int16_t* const weights = view_of(job.across);
  std::uint8_t* const out = view_of(job.out);
  const int width = job.in.width, channels = job.in.channels;
  const int area = (2 * job.down.count - 1) * (2 * job.across.count - 1);
  const int shift = weights == nullptr ? 0 : job.across.bits + kBlurLevelBits;
  const std::int32_t half = weights == nullptr ? area / 2 : 1 << (shift - 1);
  for_pixels<kBlurPixels>(job.in.height, width, number, thread_block, [&](int y, int x) {
    const std::uint16_t* const row = in + std::int64_t{y} * width * channels;
    std::int32_t sums[4];
    SLUICE_UNROLL for (int c = 0; c < 4; ++c) sums[c] = half;
    for (int k = 0; k < job.across.count; ++k) {
      const std::uint16_t* const left = row + std::int64_t{mirrored_place(x - k, width)} * channels;
      const std::uint16_t* const right =
          row + std::int64_t{mirrored_place(x + k, width)} * channels;
      const int weight = weights == nullptr ? 1 : weights[k];
      SLUICE_UNROLL for (int c = 0; c < 4; ++c) {
        if (c < channels) sums[c] += (k == 0 ? left[c] : left[c] + right[c]) * weight;
      }
    }
    std::uint8_t* const to = out + (std::int64_t{y} * width + x) * channels;
    SLUICE_UNROLL for (int c = 0; c < 4; ++c) {
      if (c < channels)
        to[c] = static_cast<std::uint8_t>(weights == nullptr ? sums[c] / area : sums[c] >> shift);
    }
  });
}

}  // namespace sluice::device
