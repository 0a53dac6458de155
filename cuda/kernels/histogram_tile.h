// Histogram tiles: count the pixels of each value in an image, and make the lookup tables of
// equalize, autocontrast and contrast from the counts. The arithmetic is that of ops/kernels, so
// the bits are the same. Internal to the kernels.
//
// Ownership: none. Threads: tiles of one image add to one histogram at the same time. Errors: none.
#pragma once

#include <sluice/cuda/kernels/colours_tile.h>
#include <sluice/cuda/kernels/picture.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sluice::device {

enum class LevelsFor : std::int32_t { equalize, autocontrast, contrast };

struct HistogramJob {
  std::int32_t tiles = 0;
  LevelsFor what = LevelsFor::equalize;
  PictureIn in;
  double factor = 1;                // for contrast
  std::uint32_t* counts = nullptr;  // device memory: kHistogram numbers, zeros before the launch
  std::uint8_t* tables = nullptr;   // device memory: kLevelTables bytes
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

// Does the `number`th tile of the sample. `counts`: kHistogram numbers that the team shares.
SLUICE_HOST_DEVICE inline void histogram_tile(const HistogramJob& job, int number, const Team& team,
                                              std::uint32_t* counts) {
  const int histograms = histograms_of(job), channels = job.in.channels;
  for (int i = team.index; i < 256 * histograms; i += kTeam) counts[i] = 0;
  team.sync();
  const std::uint8_t* const in = view_of(job.in);
  const bool luma = job.what == LevelsFor::contrast && channels != 1;
  for_pixels<kHistogramPixels>(job.in.height, job.in.width, number, team, [&](int y, int x) {
    const std::uint8_t* const pixel = in + y * job.in.stride + std::int64_t{x} * channels;
    if (luma) {
      count_one(counts, luma_of(pixel[0], pixel[1], pixel[2]));
    } else {
      for (int c = 0; c < histograms; ++c) count_one(counts + 256 * c, pixel[c]);
    }
  });
  team.sync();
  std::uint32_t* const all = device_view(job.counts, kHistogram);
  for (int i = team.index; i < 256 * histograms; i += kTeam) {
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
// Memory that a team shares to make the lookup tables.
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
SLUICE_HOST_DEVICE inline void make_level_tables(const HistogramJob& job, const Team& team,
                                                 TablesMemory& memory) {
  const int histograms = histograms_of(job);
  const std::uint32_t* const counts =
      device_view(static_cast<const std::uint32_t*>(job.counts), kHistogram);
  for (int i = team.index; i < 256 * histograms; i += kTeam) memory.counts[i] = counts[i];
  team.sync();
  // One thread for each histogram, each in a different warp.
  constexpr int kApart = kTeam == 1 ? 0 : 32;
  for (int c = 0; c < histograms; ++c) {
    if (team.index != c * kApart) continue;
    look_at_histogram(memory.counts + 256 * c, memory.below + 256 * c, memory.seen[c]);
  }
  team.sync();
  std::uint8_t* const tables = device_view(job.tables, kLevelTables);
  for (int i = team.index; i < kLevelTables; i += kTeam) {
    const int c = i / 256, x = i % 256, of = c < histograms ? c : 0;
    tables[i] = c == 3 ? static_cast<std::uint8_t>(x)
                       : level_from(job, memory.seen[of], memory.below[256 * of + x], x);
  }
}

}  // namespace sluice::device
