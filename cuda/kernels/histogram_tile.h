// Histogram tiles: count the pixels of each value in an image, and make the lookup tables of
// equalize, autocontrast and contrast from the counts. clahe tiles: one makes the lookup table of a
// grid tile from its histogram, another one blends each pixel of a tile from four tables.
// The arithmetic is that of ops/kernels, step by step. Internal to the kernels.
//
// Ownership: none. Threads: tiles of one image add to one histogram at the same time. Errors: none.
#pragma once

#include <sluice/cuda/kernels/colors_tile.h>
#include <sluice/cuda/kernels/image_view.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sluice::device {

enum class LevelsFor : std::int32_t { equalize, autocontrast, contrast };

struct HistogramJob {
  std::int32_t tiles = 0;
  LevelsFor what = LevelsFor::equalize;
  ImageIn in;
  double factor = 1;                // for contrast
  std::uint32_t* counts = nullptr;  // device memory: kHistogram numbers, zeros before the launch
  std::uint8_t* tables = nullptr;   // device memory: kLuts bytes
};

inline constexpr int kHistogramPixels = 8192;  // per tile
inline constexpr int kHistogram = 3 * 256;

// Returns the number of histograms: one for each of the first three channels; for contrast, only
// that of the luma.
SLUICE_HOST_DEVICE inline int histograms_of(const HistogramJob& job) {
  return job.what == LevelsFor::contrast || job.in.channels == 1 ? 1 : 3;
}

SLUICE_HOST_DEVICE inline void count_one(std::uint32_t* counts, int level) {
#if defined(__CUDA_ARCH__)
  atomicAdd(&counts[level], 1u);
#else
  ++counts[level];
#endif
}

// Does the `number`th tile of the sample. `counts`: kHistogram numbers that the thread block
// shares.
SLUICE_HOST_DEVICE inline void histogram_tile(const HistogramJob& job, int number,
                                              const ThreadBlock& thread_block,
                                              std::uint32_t* counts) {
  const int histograms = histograms_of(job), channels = job.in.channels;
  for (int i = thread_block.index; i < 256 * histograms; i += kThreadBlockSize) counts[i] = 0;
  thread_block.sync();
  const std::uint8_t* const in = view_of(job.in);
  const bool luma = job.what == LevelsFor::contrast && channels != 1;
  for_pixels<kHistogramPixels>(
      job.in.height, job.in.width, number, thread_block, [&](int y, int x) {
        const std::uint8_t* const pixel = in + y * job.in.stride + std::int64_t{x} * channels;
        if (luma) {
          count_one(counts, luma_of(pixel[0], pixel[1], pixel[2]));
        } else {
          for (int c = 0; c < histograms; ++c) count_one(counts + 256 * c, pixel[c]);
        }
      });
  thread_block.sync();
  std::uint32_t* const all = device_view(job.counts, kHistogram);
  for (int i = thread_block.index; i < 256 * histograms; i += kThreadBlockSize) {
    if (counts[i] == 0) continue;
#if defined(__CUDA_ARCH__)
    atomicAdd(&all[i], counts[i]);
#else
    all[i] += counts[i];
#endif
  }
}

// Statistics of one histogram.
struct LevelsSeen {
  std::uint32_t of_highest = 0;  // pixels with the highest value that occurs
  std::int32_t lowest = 0, highest = 0;
  std::uint64_t sum = 0;  // of all pixel values
};
// Memory that a thread block shares to make the lookup tables.
struct TablesMemory {
  std::uint32_t counts[kHistogram];
  std::uint32_t below[kHistogram];  // pixels with lower values
  LevelsSeen seen[3];
};

SLUICE_HOST_DEVICE inline void look_at_histogram(const std::uint32_t* counts, std::uint32_t* below,
                                                 LevelsSeen& seen) {
  seen = {};
  seen.lowest = 255;
  std::uint32_t so_far = 0;
  for (int x = 0; x < 256; ++x) {
    below[x] = so_far;
    so_far += counts[x];
    seen.sum += static_cast<std::uint64_t>(counts[x]) * static_cast<unsigned>(x);
    if (counts[x] == 0) continue;
    if (x < seen.lowest) seen.lowest = x;
    seen.highest = x;
    seen.of_highest = counts[x];
  }
}

SLUICE_HOST_DEVICE inline std::uint8_t nearest_level(double value) {
  const double nearest = floor(value + 0.5);
  return static_cast<std::uint8_t>(nearest < 0.0 ? 0.0 : nearest > 255.0 ? 255.0 : nearest);
}

// Returns the new value for pixel value `x`; `below` pixels have lower values.
SLUICE_HOST_DEVICE inline std::uint8_t level_from(const HistogramJob& job, const LevelsSeen& seen,
                                                  std::uint32_t below, int x) {
  const std::uint64_t pixels =
      static_cast<std::uint64_t>(job.in.height) * static_cast<std::uint64_t>(job.in.width);
  switch (job.what) {
    case LevelsFor::equalize: {
      const auto step = static_cast<std::uint32_t>((pixels - seen.of_highest) / 255);
      if (step == 0) break;
      const std::uint64_t level = (std::uint64_t{step / 2} + below) / step;
      return static_cast<std::uint8_t>(level < 255 ? level : 255);
    }
    case LevelsFor::autocontrast:
      if (x < seen.lowest || x > seen.highest || seen.lowest == seen.highest) break;
      return static_cast<std::uint8_t>((x - seen.lowest) * 255 / (seen.highest - seen.lowest));
    case LevelsFor::contrast: {
      const double mean = static_cast<double>(seen.sum) /
                          (static_cast<double>(job.in.height) * static_cast<double>(job.in.width));
      return nearest_level(job.factor * x + (1 - job.factor) * mean);
    }
  }
  return static_cast<std::uint8_t>(x);
}

// Makes all lookup tables of the sample: one for each of its channels. A fourth channel does not
// change.
SLUICE_HOST_DEVICE inline void make_luts(const HistogramJob& job, const ThreadBlock& thread_block,
                                         TablesMemory& memory) {
  const int histograms = histograms_of(job);
  const std::uint32_t* const counts =
      device_view(static_cast<const std::uint32_t*>(job.counts), kHistogram);
  for (int i = thread_block.index; i < 256 * histograms; i += kThreadBlockSize)
    memory.counts[i] = counts[i];
  thread_block.sync();
  // One thread for each histogram, each in a different warp.
  constexpr int kApart = kThreadBlockSize == 1 ? 0 : 32;
  for (int c = 0; c < histograms; ++c) {
    if (thread_block.index != c * kApart) continue;
    look_at_histogram(memory.counts + 256 * c, memory.below + 256 * c, memory.seen[c]);
  }
  thread_block.sync();
  std::uint8_t* const tables = device_view(job.tables, kLuts);
  for (int i = thread_block.index; i < kLuts; i += kThreadBlockSize) {
    const int c = i / 256, x = i % 256, of = c < histograms ? c : 0;
    tables[i] = c == 3 ? static_cast<std::uint8_t>(x)
                       : level_from(job, memory.seen[of], memory.below[256 * of + x], x);
  }
}

// The size of the grid, and of its tiles in pixels.
struct ClaheCells {
  std::int32_t across = 1, down = 1;
  std::int32_t width = 1, height = 1;
};

// Makes the lookup tables of an image: one tile for each table.
struct ClaheTablesJob {
  std::int32_t tiles = 0;
  std::int32_t limit = 0;  // pixels of one value; 0: no limit
  ImageIn in;
  ClaheCells cells;
  std::uint8_t* tables = nullptr;  // device memory: 256 bytes for each tile of the grid
};

struct ClaheJob {
  std::int32_t tiles = 0;
  std::int32_t unused = 0;
  ImageIn in;
  ImageOut out;
  ClaheCells cells;
  const std::uint8_t* tables = nullptr;
};

inline constexpr int kClahePixels = 1024;  // per tile

SLUICE_HOST_DEVICE inline std::size_t table_bytes(const ClaheCells& cells) {
  return static_cast<std::size_t>(cells.across) * static_cast<std::size_t>(cells.down) * 256;
}

SLUICE_HOST_DEVICE inline int light_of(const std::uint8_t* pixel, int channels) {
  return channels == 1 ? pixel[0] : luma_of(pixel[0], pixel[1], pixel[2]);
}

// Returns the number of pixels beyond the limit, over all pixel values.
SLUICE_HOST_DEVICE inline int cut_off(const std::uint32_t* counts, int limit) {
  int cut = 0;
  for (int i = 0; i < 256; ++i) {
    const int count = static_cast<int>(counts[i]);
    cut += count > limit ? count - limit : 0;
  }
  return cut;
}

// Returns the count of pixel value `i` after `cut` pixels have been spread over all values.
SLUICE_HOST_DEVICE inline int clipped_count(int count, int i, int limit, int cut) {
  const int rest = cut % 256;
  const int step = rest == 0 ? 1 : 256 / rest;  // between values that get one more
  const bool one_more = i % step == 0 && i / step < rest;
  return (count < limit ? count : limit) + cut / 256 + (one_more ? 1 : 0);
}

// `counts`: 256 numbers that the thread block shares.
SLUICE_HOST_DEVICE inline void clahe_table_tile(const ClaheTablesJob& job, int number,
                                                const ThreadBlock& thread_block,
                                                std::uint32_t* counts) {
  for (int i = thread_block.index; i < 256; i += kThreadBlockSize) counts[i] = 0;
  thread_block.sync();
  const std::uint8_t* const in = view_of(job.in);
  const int width = job.cells.width, pixels = job.cells.height * width;
  const int first_y = number / job.cells.across * job.cells.height;
  const int first_x = number % job.cells.across * width;
  for (int i = thread_block.index; i < pixels; i += kThreadBlockSize) {
    const int y = mirrored_place(first_y + i / width, job.in.height);
    const int x = mirrored_place(first_x + i % width, job.in.width);
    count_one(counts, light_of(in + y * job.in.stride + std::int64_t{x} * job.in.channels,
                               job.in.channels));
  }
  thread_block.sync();
  std::uint8_t* const table =
      device_view(job.tables, table_bytes(job.cells)) + std::int64_t{number} * 256;
  const int cut = job.limit == 0 ? 0 : cut_off(counts, job.limit);
  const float scale = 255.0f / static_cast<float>(pixels);
  int sum = 0, next = 0;
  for (int i = thread_block.index; i < 256; i += kThreadBlockSize) {
    for (; next <= i; ++next) {
      const int count = static_cast<int>(counts[next]);
      sum += job.limit == 0 ? count : clipped_count(count, next, job.limit, cut);
    }
    const float level = rintf(static_cast<float>(sum) * scale);
    table[i] = static_cast<std::uint8_t>(level < 255.0f ? level : 255.0f);
  }
}

// The two grid tiles next to a pixel in one direction.
struct ClaheBetween {
  int first, second;
  float share;  // the weight of `second`
};
SLUICE_HOST_DEVICE inline ClaheBetween clahe_between(int at, int length, int count) {
  const float tile = static_cast<float>(at) * (1.0f / static_cast<float>(length)) - 0.5f;
  const int first = static_cast<int>(floorf(tile));
  return {first < 0 ? 0 : first, first + 1 > count - 1 ? count - 1 : first + 1,
          tile - static_cast<float>(first)};
}

// The `number`th tile of the sample.
SLUICE_HOST_DEVICE inline void clahe_tile(const ClaheJob& job, int number,
                                          const ThreadBlock& thread_block) {
  const std::uint8_t* const in = view_of(job.in);
  const std::uint8_t* const tables = device_view(job.tables, table_bytes(job.cells));
  std::uint8_t* const out = view_of(job.out);
  const ClaheCells& cells = job.cells;
  const int width = job.in.width, channels = job.in.channels;
  for_pixels<kClahePixels>(job.in.height, width, number, thread_block, [&](int y, int x) {
    const std::uint8_t* const from = in + y * job.in.stride + std::int64_t{x} * channels;
    std::uint8_t* const to = out + (std::int64_t{y} * width + x) * channels;
    const ClaheBetween rows = clahe_between(y, cells.height, cells.down);
    const ClaheBetween columns = clahe_between(x, cells.width, cells.across);
    const int level = light_of(from, channels);
    const auto mapped = [&](int row, int column) {
      return static_cast<float>(tables[(std::int64_t{row} * cells.across + column) * 256 + level]);
    };
    const float left = 1 - columns.share, right = columns.share;
    const float upper =
        mapped(rows.first, columns.first) * left + mapped(rows.first, columns.second) * right;
    const float lower =
        mapped(rows.second, columns.first) * left + mapped(rows.second, columns.second) * right;
    const int light = static_cast<int>(rintf(upper * (1 - rows.share) + lower * rows.share));
    if (channels == 1) {
      to[0] = static_cast<std::uint8_t>(light);
      return;
    }
    for (int c = 0; c < 3; ++c) {
      const int moved = from[c] + light - level;
      to[c] = static_cast<std::uint8_t>(moved < 0 ? 0 : moved > 255 ? 255 : moved);
    }
    if (channels == 4) to[3] = from[3];
  });
}

}  // namespace sluice::device
