// Morphology tiles: one tile of an image whose pixel values become the largest, or the smallest, in
// a window: dilate and erode, along the rows and then along the columns. Pixels outside of the
// image do not count. Internal to the kernels.
//
// Ownership: none. Threads and errors: none.
#pragma once

#include <sluice/cuda/kernels/image_view.h>

#include <cstddef>
#include <cstdint>

namespace sluice::device {

struct MorphologyJob {
  std::int32_t tiles = 0;
  std::int32_t largest = 1;  // 0: the smallest
  ImageIn in;
  ImageOut out;
  std::int32_t height = 1, width = 1;  // of the window; its anchor is pixel number size / 2
  std::uint8_t* between = nullptr;     // device memory: one byte for each pixel value of the image
};

inline constexpr int kMorphologyPixels = 1024;  // per tile

SLUICE_HOST_DEVICE inline std::size_t levels_of(const MorphologyJob& job) {
  return static_cast<std::size_t>(std::int64_t{job.in.height} * job.in.width * job.in.channels);
}

// Picks the largest or smallest values of the pixels first .. end - 1 of a line. Pixel 0 is at
// `line`, and pixels are `step` bytes apart.
SLUICE_HOST_DEVICE inline void pick_levels(const MorphologyJob& job, const std::uint8_t* line,
                                           std::int64_t step, int first, int end,
                                           std::uint8_t* to) {
  std::uint8_t picked[4];
  const int channels = job.in.channels;
  SLUICE_UNROLL for (int c = 0; c < 4; ++c) picked[c] = job.largest != 0 ? 0 : 255;
  for (int k = first; k < end; ++k) {
    const std::uint8_t* const at = line + k * step;
    SLUICE_UNROLL for (int c = 0; c < 4; ++c) {
      if (c < channels && (job.largest != 0 ? at[c] > picked[c] : at[c] < picked[c]))
        picked[c] = at[c];
    }
  }
  SLUICE_UNROLL for (int c = 0; c < 4; ++c) {
    if (c < channels) to[c] = picked[c];
  }
}

// Return where a window around pixel `at` of a line begins and ends; `length` is that of the line.
SLUICE_HOST_DEVICE inline int window_start(int at, int size) {
  return at - size / 2 < 0 ? 0 : at - size / 2;
}
SLUICE_HOST_DEVICE inline int window_end(int at, int size, int length) {
  return at - size / 2 + size > length ? length : at - size / 2 + size;
}

SLUICE_HOST_DEVICE inline void morphology_across_tile(const MorphologyJob& job, int number,
                                                      const ThreadBlock& thread_block) {
  const std::uint8_t* const in = view_of(job.in);
  std::uint8_t* const out = device_view(job.between, levels_of(job));
  const int width = job.in.width, channels = job.in.channels;
  for_pixels<kMorphologyPixels>(job.in.height, width, number, thread_block, [&](int y, int x) {
    pick_levels(job, in + y * job.in.stride, channels, window_start(x, job.width),
                window_end(x, job.width, width), out + (std::int64_t{y} * width + x) * channels);
  });
}

SLUICE_HOST_DEVICE inline void morphology_down_tile(const MorphologyJob& job, int number,
                                                    const ThreadBlock& thread_block) {
  const std::uint8_t* const in =
      device_view(static_cast<const std::uint8_t*>(job.between), levels_of(job));
  std::uint8_t* const out = view_of(job.out);
  const int height = job.in.height, width = job.in.width, channels = job.in.channels;
  const std::int64_t row = std::int64_t{width} * channels;
  for_pixels<kMorphologyPixels>(height, width, number, thread_block, [&](int y, int x) {
    const std::int64_t column = std::int64_t{x} * channels;
    pick_levels(job, in + column, row, window_start(y, job.height),
                window_end(y, job.height, height), out + y * row + column);
  });
}

}  // namespace sluice::device
