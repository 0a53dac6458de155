// One tile of a picture in which each level follows from those of the window around it: sharpness
// and filter_2d. The arithmetic is that of sharpness_rows.h and filter_2d.h in ops/kernels, step by
// step. Internal to the kernel.
//
// Ownership: none. Threads and errors: none.
#pragma once

#include <sluice/cuda/kernels/picture.h>

#include <cstdint>

namespace sluice::device {

enum class WindowWork : std::int32_t { sharpen, weigh };

inline constexpr int kMostWeights = 49;

struct WindowJob {
  std::int32_t tiles = 0;
  WindowWork work = WindowWork::sharpen;
  PictureIn in;
  PictureOut out;
  std::int32_t factor = 0, factor_bits = 0;  // of sharpness: factor * 2^-factor_bits
  std::int32_t rows = 0, columns = 0;        // of weights
  float weights[kMostWeights] = {};
  std::int32_t unused = 0;
};

inline constexpr int kWindowPixels = 1024;  // of a tile

// `at`: the level in the middle, around which there are others.
SLUICE_HOST_DEVICE inline std::uint8_t sharpened(const std::uint8_t* at, std::int64_t row,
                                                 std::int64_t pixel, const WindowJob& job) {
  constexpr int kThirteenth = 5042;  // n / 13, cut off, is n * 5042 / 2^16 for all n that occur
  int sum = 4 * at[0] + 6;
  for (int r = -1; r <= 1; ++r) {
    for (int c = -1; c <= 1; ++c) sum += at[r * row + c * pixel];
  }
  const int smooth = (sum * kThirteenth) >> 16;
  const int difference = (at[0] - smooth) * (1 << (15 - job.factor_bits));
  const int level = smooth + ((difference * job.factor + (1 << 14)) >> 15);
  return static_cast<std::uint8_t>(level < 0 ? 0 : level > 255 ? 255 : level);
}

// `in`: channel 0 of the first pixel, plus c.
SLUICE_HOST_DEVICE inline std::uint8_t weighed(const std::uint8_t* in, int y, int x,
                                               const WindowJob& job) {
  float sum = 0.0f;
  const float* weight = job.weights;
  for (int r = 0; r < job.rows; ++r) {
    const std::uint8_t* const row =
        in + mirrored_place(y + r - job.rows / 2, job.in.height) * job.in.stride;
    for (int c = 0; c < job.columns; ++c, ++weight) {
      const int column = mirrored_place(x + c - job.columns / 2, job.in.width);
      if (*weight != 0.0f) sum += *weight * row[std::int64_t{column} * job.in.channels];
    }
  }
  const float level = sum + 0.5f;
  return static_cast<std::uint8_t>(level < 0.0f ? 0.0f : level > 255.0f ? 255.0f : level);
}

// The `number`th tile of the sample.
SLUICE_HOST_DEVICE inline void window_tile(const WindowJob& job, int number, const Team& team) {
  const std::uint8_t* const in = view_of(job.in);
  std::uint8_t* const out = view_of(job.out);
  const int height = job.out.height, width = job.out.width, channels = job.out.channels;
  for_pixels<kWindowPixels>(height, width, number, team, [&](int y, int x) {
    std::uint8_t* const to = out + (std::int64_t{y} * width + x) * channels;
    if (job.work == WindowWork::weigh) {
      for (int c = 0; c < channels; ++c) to[c] = weighed(in + c, y, x, job);
      return;
    }
    const std::uint8_t* const from = in + y * job.in.stride + std::int64_t{x} * channels;
    const bool at_edge = y == 0 || y == height - 1 || x == 0 || x == width - 1;
    for (int c = 0; c < channels; ++c)
      to[c] = at_edge ? from[c] : sharpened(from + c, job.in.stride, channels, job);
  });
}

}  // namespace sluice::device
