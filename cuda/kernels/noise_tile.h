// Noise tiles: one tile of an image with noise: gaussian_noise, iso_noise, salt_and_pepper_noise,
// shot_noise and jitter. The random numbers are those that the host draws in sequence; a device
// computes each from its position in the sequence. The arithmetic is that of noise.h and places.h
// in ops/kernels, step by step. Internal to the kernels.
//
// Ownership: none. Threads and errors: none.
#pragma once

#include <sluice/cuda/kernels/image_view.h>
#include <sluice/ops/kernels/iso_noise_pixel.h>
#include <sluice/runtime/random.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sluice::device {

struct IsoCounts;

struct NoiseJob {
  std::int32_t tiles = 0;
  std::int32_t window = 1;  // for jitter
  ImageIn in;
  ImageOut out;
  RandomWords words;
  std::int32_t per_channel = 0;           // for salt and pepper
  std::uint64_t changed = 0, white = 0;   // thresholds for random words; for salt and pepper
  double mean = 0, stddev = 0;            // for normally distributed numbers
  const float* quantiles = nullptr;       // device memory: kUpperQuantiles; of normal numbers
  double factor = 0;                      // for shot noise
  const std::uint32_t* counts = nullptr;  // device memory: see PoissonJob
  const IsoCounts* iso = nullptr;         // device memory; for iso_noise
  std::int32_t counted_levels = 0;        // pixel values below this have counts
  std::int32_t needs_quantiles = 0;
};

// Tables of Poisson distributions, for pixel values with small means. For each value: the
// probabilities that the count is at most 0, 1, 2, ..., in units of 2^-32. When the terms become
// negligible, the rest is added.
struct PoissonJob {
  std::int32_t tiles = 1;
  std::int32_t levels = 0;  // the number of pixel values, from 0 on
  double factor = 1;
  const double* none = nullptr;     // device memory: by pixel value, the probability of 0
  std::uint32_t* counts = nullptr;  // device memory: kMostCounts numbers for each pixel value
};

// The sums of an image that iso_noise depends on, and the counts that follow from them.
struct IsoSumsJob {
  std::int32_t tiles = 0;
  std::int32_t unused = 0;
  ImageIn in;
  double intensity = 0;
  // Device memory, for each tile: the sums of twice the lightness and of its square.
  std::uint32_t* sums = nullptr;
  IsoCounts* counts = nullptr;  // device memory
};

inline constexpr int kIsoPixels = 8192;        // per tile; 32 bits hold the sum of squares
inline constexpr int kNoiseBlocks = 256;       // blocks of random words per tile
inline constexpr int kUpperQuantiles = 32768;  // those above zero; the others are mirrored
inline constexpr int kMostCounts = 128;
inline constexpr double kCountedMean = 64;  // larger means use normal numbers

// The distribution of the Poisson counts that iso_noise adds to the lightness.
struct IsoCounts {
  double mean = 0;
  std::uint32_t up_to[kMostCounts] = {};  // see PoissonJob; only for small means
};

// Calls f(words, k, y, x) for this thread's units of the tile. Each row has `units_of_row` units.
// Unit (y, x) is number k of those that share a block of random words.
template <int units_of_block, class F>
SLUICE_HOST_DEVICE void for_units(const NoiseJob& job, int units_of_row, int number,
                                  const ThreadBlock& thread_block, const F& f) {
  const std::int64_t units = std::int64_t{job.in.height} * units_of_row;
  for (int i = thread_block.index; i < kNoiseBlocks; i += kThreadBlockSize) {
    const std::int64_t block = std::int64_t{number} * kNoiseBlocks + i;
    const std::int64_t first = block * units_of_block;
    if (first >= units) return;
    const std::array<std::uint32_t, 4> words = job.words.block(static_cast<std::uint32_t>(block));
    int y = static_cast<int>(first / units_of_row), x = static_cast<int>(first % units_of_row);
    SLUICE_UNROLL for (int k = 0; k < units_of_block; ++k) {
      if (first + k >= units) return;
      f(words, static_cast<unsigned>(k), y, x);
      if (++x == units_of_row) {
        x = 0;
        ++y;
      }
    }
  }
}

SLUICE_HOST_DEVICE inline double normal_number(const float* upper, unsigned bits) {
  return static_cast<double>(bits >= kUpperQuantiles ? upper[bits - kUpperQuantiles]
                                                     : -upper[kUpperQuantiles - 1 - bits]);
}
SLUICE_HOST_DEVICE inline const float* quantiles_of(const NoiseJob& job) {
  return job.needs_quantiles == 0 ? nullptr : device_view(job.quantiles, kUpperQuantiles);
}

// Uses half a random word for each pixel value.
SLUICE_HOST_DEVICE inline void gaussian_noise_tile(const NoiseJob& job, int number,
                                                   const ThreadBlock& thread_block) {
  const std::uint8_t* const in = view_of(job.in);
  const float* const quantiles = quantiles_of(job);
  std::uint8_t* const out = view_of(job.out);
  const int row = job.in.width * job.in.channels;
  for_units<8>(job, row, number, thread_block,
               [&](const std::array<std::uint32_t, 4>& words, unsigned k, int y, int x) {
                 const unsigned bits = words[k / 2] >> (k % 2 * 16) & 0xffff;
                 out[std::int64_t{y} * row + x] =
                     rounded_level(in[y * job.in.stride + x] + job.mean +
                                   job.stddev * normal_number(quantiles, bits));
               });
}

// Uses a random word for each pixel, or for each pixel value.
SLUICE_HOST_DEVICE inline void salt_and_pepper_tile(const NoiseJob& job, int number,
                                                    const ThreadBlock& thread_block) {
  const std::uint8_t* const in = view_of(job.in);
  std::uint8_t* const out = view_of(job.out);
  const int row = job.in.width * job.in.channels;
  const int together = job.per_channel != 0 ? 1 : job.in.channels;
  for_units<4>(job, row / together, number, thread_block,
               [&](const std::array<std::uint32_t, 4>& words, unsigned k, int y, int x) {
                 const std::uint8_t* const from =
                     in + y * job.in.stride + std::int64_t{x} * together;
                 std::uint8_t* const to = out + std::int64_t{y} * row + std::int64_t{x} * together;
                 const std::uint8_t level = words[k] < job.white ? 255 : 0;
                 for (int c = 0; c < together; ++c)
                   to[c] = words[k] < job.changed ? level : from[c];
               });
}

// Makes Poisson counts with a large mean, from a random word.
SLUICE_HOST_DEVICE inline double large_count(const float* quantiles, std::uint32_t bits,
                                             double mean) {
  const double z = normal_number(quantiles, bits >> 16);
  return floor(mean + ::sqrt(mean) * z + (z * z - 1) / 6 + 0.5);
}
// The same with a table of a small mean: see PoissonJob.
SLUICE_HOST_DEVICE inline double small_count(const std::uint32_t* table, std::uint32_t bits) {
  if (bits == 0xffffffff) bits = 0xff000000;  // no probability is greater
  int count = 0;
  for (int step = kMostCounts / 2; step != 0; step /= 2) {
    if (table[count + step - 1] <= bits) count += step;
  }
  return count;
}

// Returns a random count with the mean level / factor.
SLUICE_HOST_DEVICE inline double shot_count(const NoiseJob& job, const float* quantiles,
                                            const std::uint32_t* counts, std::uint32_t bits,
                                            int level) {
  if (level >= job.counted_levels) return large_count(quantiles, bits, level / job.factor);
  return small_count(counts + level * kMostCounts, bits);
}

// Uses a random word for each pixel value.
SLUICE_HOST_DEVICE inline void shot_noise_tile(const NoiseJob& job, int number,
                                               const ThreadBlock& thread_block) {
  const std::uint8_t* const in = view_of(job.in);
  const float* const quantiles = quantiles_of(job);
  const std::size_t count_numbers = static_cast<std::size_t>(job.counted_levels) * kMostCounts;
  const std::uint32_t* const counts =
      count_numbers == 0 ? nullptr : device_view(job.counts, count_numbers);
  std::uint8_t* const out = view_of(job.out);
  const int row = job.in.width * job.in.channels;
  for_units<4>(job, row, number, thread_block,
               [&](const std::array<std::uint32_t, 4>& words, unsigned k, int y, int x) {
                 const std::uint8_t level = in[y * job.in.stride + x];
                 out[std::int64_t{y} * row + x] =
                     job.factor == 0 ? level
                                     : rounded_level(job.factor * shot_count(job, quantiles, counts,
                                                                             words[k], level));
               });
}

// Writes the table of a small mean. `none`: the probability of 0.
SLUICE_HOST_DEVICE inline void write_counts(double mean, double none, std::uint32_t* counts) {
  constexpr std::uint32_t kAll = 0xffffffff;
  double probability = none, sum = probability;
  std::uint32_t up_to = 0;
  for (int count = 0; count < kMostCounts; ++count) {
    if (up_to != kAll) {
      // The tail after the mean is less than one unit if its first term is far below.
      const bool last = count > mean && probability < 0x1p-40;
      const double share = last ? 0x1p32 : sum * 0x1p32;
      up_to = share < static_cast<double>(kAll) ? static_cast<std::uint32_t>(share) : kAll;
      probability *= mean / (count + 1);
      sum += probability;
    }
    counts[count] = up_to;
  }
}

// Does the only tile of the sample.
SLUICE_HOST_DEVICE inline void poisson_tile(const PoissonJob& job, int,
                                            const ThreadBlock& thread_block) {
  const auto levels = static_cast<std::size_t>(job.levels);
  const double* const none = device_view(job.none, levels);
  std::uint32_t* const counts = device_view(job.counts, levels * kMostCounts);
  for (int level = thread_block.index; level < job.levels; level += kThreadBlockSize)
    write_counts(level / job.factor, none[level], counts + level * kMostCounts);
}

// The numbers that a thread block shares to compute sums: two for each thread.
inline constexpr int kIsoParts = 2 * kBlockThreads;

// Writes the sums of a tile.
SLUICE_HOST_DEVICE inline void iso_sums_tile(const IsoSumsJob& job, int number,
                                             const ThreadBlock& thread_block,
                                             std::uint32_t* parts) {
  const std::uint8_t* const in = view_of(job.in);
  const int channels = job.in.channels;
  std::uint32_t sum = 0, squares = 0;
  for_pixels<kIsoPixels>(job.in.height, job.in.width, number, thread_block, [&](int y, int x) {
    const auto light = static_cast<std::uint32_t>(
        kernels::doubled_lightness(in + y * job.in.stride + std::int64_t{x} * channels, channels));
    sum += light;
    squares += light * light;
  });
  std::uint32_t* const mine = parts + 2 * thread_block.index;
  mine[0] = sum;
  mine[1] = squares;
  for (int half = kThreadBlockSize / 2; half > 0; half /= 2) {
    thread_block.sync();
    if (thread_block.index >= half) continue;
    mine[0] += mine[2 * half];
    mine[1] += mine[2 * half + 1];
  }
  if (thread_block.index != 0) return;
  std::uint32_t* const sums = device_view(job.sums, 2 * static_cast<std::size_t>(job.tiles));
  sums[2 * number] = mine[0];
  sums[2 * number + 1] = mine[1];
}

// Makes the counts of a sample from the sums of its tiles. `parts`: kIsoParts numbers that the
// thread block shares.
SLUICE_HOST_DEVICE inline void make_iso_counts(const IsoSumsJob& job,
                                               const ThreadBlock& thread_block,
                                               unsigned long long* parts) {
  const std::uint32_t* const sums = device_view(static_cast<const std::uint32_t*>(job.sums),
                                                2 * static_cast<std::size_t>(job.tiles));
  unsigned long long sum = 0, squares = 0;
  for (int i = thread_block.index; i < job.tiles; i += kThreadBlockSize) {
    sum += sums[2 * i];
    squares += sums[2 * i + 1];
  }
  parts[2 * thread_block.index] = sum;
  parts[2 * thread_block.index + 1] = squares;
  thread_block.sync();
  if (thread_block.index != 0) return;
  for (int i = 1; i < kThreadBlockSize; ++i) {
    sum += parts[2 * i];
    squares += parts[2 * i + 1];
  }
  IsoCounts* const counts = device_view(job.counts, 1);
  const double pixels = static_cast<double>(job.in.height) * job.in.width;
  counts->mean = ::sqrt(kernels::variance_of(sum, squares, pixels)) / 2 * job.intensity;
  if (counts->mean < kCountedMean)
    write_counts(counts->mean, kernels::exp_of_minus(counts->mean), counts->up_to);
}

// Uses two random words for each pixel.
SLUICE_HOST_DEVICE inline void iso_noise_tile(const NoiseJob& job, int number,
                                              const ThreadBlock& thread_block) {
  const std::uint8_t* const in = view_of(job.in);
  const float* const quantiles = quantiles_of(job);
  const IsoCounts* const counts = device_view(job.iso, 1);
  std::uint8_t* const out = view_of(job.out);
  const int width = job.in.width, channels = job.in.channels;
  const double mean = counts->mean;
  for_units<2>(job, width, number, thread_block,
               [&](const std::array<std::uint32_t, 4>& words, unsigned k, int y, int x) {
                 const std::uint32_t bits = words[2 * k];
                 const double count = mean < kCountedMean ? small_count(counts->up_to, bits)
                                                          : large_count(quantiles, bits, mean);
                 const double turn = job.stddev * normal_number(quantiles, words[2 * k + 1] >> 16);
                 kernels::add_iso_noise(in + y * job.in.stride + std::int64_t{x} * channels,
                                        channels, count, turn,
                                        out + (std::int64_t{y} * width + x) * channels);
               });
}

// Uses two random words for each pixel.
SLUICE_HOST_DEVICE inline void jitter_tile(const NoiseJob& job, int number,
                                           const ThreadBlock& thread_block) {
  const std::uint8_t* const in = view_of(job.in);
  std::uint8_t* const out = view_of(job.out);
  const int width = job.in.width, channels = job.in.channels;
  const auto shift = [&](std::uint32_t word) {
    return static_cast<int>(std::uint64_t{word} * static_cast<unsigned>(job.window) >> 32) -
           job.window / 2;
  };
  for_units<2>(job, width, number, thread_block,
               [&](const std::array<std::uint32_t, 4>& words, unsigned k, int y, int x) {
                 const int row = nearest_place(y + shift(words[2 * k]), job.in.height);
                 const std::int64_t column = nearest_place(x + shift(words[2 * k + 1]), width);
                 const std::uint8_t* const from = in + row * job.in.stride + column * channels;
                 std::uint8_t* const to = out + (std::int64_t{y} * width + x) * channels;
                 for (int c = 0; c < channels; ++c) to[c] = from[c];
               });
}

}  // namespace sluice::device
