// Filter-2d tiles: one tile of an image whose pixel values are computed from a window around them:
// sharpness, filter_2d, motion_blur, defocus and median_blur. The arithmetic is that of filter.h in
// ops/kernels, step by step. Internal to the kernel.
//
// Ownership: none. Threads and errors: none.
#pragma once

#include <sluice/cuda/kernels/image_view.h>

#include <cstdint>

namespace sluice::device {

enum class Filter2dWork : std::int32_t { sharpen, weigh };

inline constexpr int kMostWeights = 49;

// The weight of the pixel `row` rows below and `column` columns to the right.
struct Filter2dStep {
  std::int32_t row = 0, column = 0;
  float weight = 0;
};

struct Filter2dJob {
  std::int32_t tiles = 0;
  Filter2dWork work = Filter2dWork::sharpen;
  ImageIn in;
  ImageOut out;
  std::int32_t factor = 0, factor_bits = 0;  // for sharpness: factor * 2^-factor_bits
  std::int32_t rows = 0, columns = 0;        // of weights; for the median, of the window: 3 or 5
  float weights[kMostWeights] = {};
  std::int32_t step_count = 0;
  const Filter2dStep* steps = nullptr;  // for motion blur and defocus, in device memory
};

inline constexpr int kFilter2dPixels = 1024;  // per tile

// `at`: the pixel value in the middle; it has neighbors on all sides.
SLUICE_HOST_DEVICE inline std::uint8_t sharpened(const std::uint8_t* at, std::int64_t row,
                                                 std::int64_t pixel, const Filter2dJob& job) {
  constexpr int kThirteenth = 5042;  // n / 13, truncated, is n * 5042 / 2^16 for all n that occur
  int sum = 4 * at[0] + 6;
  for (int r = -1; r <= 1; ++r) {
    for (int c = -1; c <= 1; ++c) sum += at[r * row + c * pixel];
  }
  const int smooth = (sum * kThirteenth) >> 16;
  const int difference = (at[0] - smooth) * (1 << (15 - job.factor_bits));
  const int level = smooth + ((difference * job.factor + (1 << 14)) >> 15);
  return static_cast<std::uint8_t>(level < 0 ? 0 : level > 255 ? 255 : level);
}

// Rounds a sum to nearest and clips it.
SLUICE_HOST_DEVICE inline std::uint8_t level_of_sum(float sum) {
  const float level = sum + 0.5f;
  return static_cast<std::uint8_t>(level < 0.0f ? 0.0f : level > 255.0f ? 255.0f : level);
}

// `in`: channel c of the first pixel.
SLUICE_HOST_DEVICE inline std::uint8_t weighed(const std::uint8_t* in, int y, int x,
                                               const Filter2dJob& job) {
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
  return level_of_sum(sum);
}

// `in`: as above.
SLUICE_HOST_DEVICE inline std::uint8_t followed(const std::uint8_t* in, int y, int x,
                                                const Filter2dStep* steps, const Filter2dJob& job) {
  float sum = 0.0f;
  for (int i = 0; i < job.step_count; ++i) {
    const Filter2dStep& step = steps[i];
    const std::int64_t column = mirrored_place(x + step.column, job.in.width);
    sum += step.weight *
           static_cast<float>(in[mirrored_place(y + step.row, job.in.height) * job.in.stride +
                                 column * job.in.channels]);
  }
  return level_of_sum(sum);
}

// Returns the median of a square: the largest value that at most half of the values are below. It
// is found bit by bit, from the highest on. `in`: as above.
template <int size>
SLUICE_HOST_DEVICE std::uint8_t median_of(const std::uint8_t* in, int y, int x,
                                          const Filter2dJob& job) {
  std::uint8_t levels[size * size];
  SLUICE_UNROLL for (int r = 0; r < size; ++r) {
    const std::uint8_t* const row =
        in + nearest_place(y + r - size / 2, job.in.height) * job.in.stride;
    SLUICE_UNROLL for (int c = 0; c < size; ++c) {
      const std::int64_t column = nearest_place(x + c - size / 2, job.in.width);
      levels[r * size + c] = row[column * job.in.channels];
    }
  }
  int median = 0;
  for (int bit = 128; bit != 0; bit /= 2) {
    int below = 0;
    SLUICE_UNROLL for (int i = 0; i < size * size; ++i) below += levels[i] < median + bit ? 1 : 0;
    if (below <= size * size / 2) median += bit;
  }
  return static_cast<std::uint8_t>(median);
}

// Calls f(in, y, x) for each channel of this thread's pixels of the tile, and writes the results.
// `in` is channel c of the first pixel.
template <class F>
SLUICE_HOST_DEVICE void write_levels(const Filter2dJob& job, int number,
                                     const ThreadBlock& thread_block, const F& f) {
  const std::uint8_t* const in = view_of(job.in);
  std::uint8_t* const out = view_of(job.out);
  const int height = job.out.height, width = job.out.width, channels = job.out.channels;
  for_pixels<kFilter2dPixels>(height, width, number, thread_block, [&](int y, int x) {
    std::uint8_t* const to = out + (std::int64_t{y} * width + x) * channels;
    for (int c = 0; c < channels; ++c) to[c] = f(in + c, y, x);
  });
}

// Does the `number`th tile of the sample. There are three kernels, because some need more registers
// than others.
SLUICE_HOST_DEVICE inline void filter_2d_tile(const Filter2dJob& job, int number,
                                              const ThreadBlock& thread_block) {
  const int bottom = job.in.height - 1, right = job.in.width - 1;
  write_levels(job, number, thread_block, [&](const std::uint8_t* in, int y, int x) {
    if (job.work == Filter2dWork::weigh) return weighed(in, y, x, job);
    const std::uint8_t* const from = in + y * job.in.stride + std::int64_t{x} * job.in.channels;
    const bool at_edge = y == 0 || y == bottom || x == 0 || x == right;
    return at_edge ? *from : sharpened(from, job.in.stride, job.in.channels, job);
  });
}

SLUICE_HOST_DEVICE inline void motion_tile(const Filter2dJob& job, int number,
                                           const ThreadBlock& thread_block) {
  const Filter2dStep* const steps =
      device_view(job.steps, static_cast<std::size_t>(job.step_count));
  write_levels(job, number, thread_block, [&](const std::uint8_t* in, int y, int x) {
    return followed(in, y, x, steps, job);
  });
}

SLUICE_HOST_DEVICE inline void median_tile(const Filter2dJob& job, int number,
                                           const ThreadBlock& thread_block) {
  write_levels(job, number, thread_block, [&](const std::uint8_t* in, int y, int x) {
    return job.rows == 3 ? median_of<3>(in, y, x, job) : median_of<5>(in, y, x, job);
  });
}

}  // namespace sluice::device
