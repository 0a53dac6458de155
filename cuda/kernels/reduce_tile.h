// Reduce tiles: compute the sum of a tile's pixel values, the sum of their squares, the lowest and
// the highest. All are integers, so the results do not depend on the order of the tiles.
// Choose tiles compare a number computed from these sums, like in kernels::reduced(), with another
// number, to select a branch. Internal to the kernels.
//
// Ownership: none. Threads: tiles of one image add to one result at the same time; a thread block
// makes one choice. Errors: none.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/kernels/tiles.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sluice::device {

// All zeros before the launch.
struct ReduceResult {
  unsigned long long sum = 0, squares = 0;
  unsigned int highest = 0;
  unsigned int below_white = 0;  // 255 minus the lowest
};

struct ReduceJob {
  std::int32_t tiles = 0;
  std::int32_t unused = 0;
  const std::uint8_t* in = nullptr;  // device memory
  std::int64_t rows = 0, bytes = 0;  // of a row
  std::int64_t stride = 0;           // bytes from row to row, not negative
  ReduceResult* result = nullptr;    // device memory
};

// The number of pixel values in a tile. 32 bits hold the sum of their squares.
inline constexpr std::int64_t kReduceTile = 1 << 15;

// The sums and extremes that one thread has found in the tile.
struct ReducePart {
  std::uint32_t sum = 0, squares = 0, highest = 0, below_white = 0;

  SLUICE_HOST_DEVICE void see(std::uint32_t level) {
    sum += level;
    squares += level * level;
    see_ends(level, 255 - level);
  }
  SLUICE_HOST_DEVICE void see(const ReducePart& other) {
    sum += other.sum;
    squares += other.squares;
    see_ends(other.highest, other.below_white);
  }

 private:
  SLUICE_HOST_DEVICE void see_ends(std::uint32_t high, std::uint32_t low) {
    if (high > highest) highest = high;
    if (low > below_white) below_white = low;
  }
};

SLUICE_HOST_DEVICE inline void add_to_result(ReduceResult* result, const ReducePart& part) {
#if defined(__CUDA_ARCH__)
  atomicAdd(&result->sum, static_cast<unsigned long long>(part.sum));
  atomicAdd(&result->squares, static_cast<unsigned long long>(part.squares));
  atomicMax(&result->highest, part.highest);
  atomicMax(&result->below_white, part.below_white);
#else
  result->sum += part.sum;
  result->squares += part.squares;
  if (part.highest > result->highest) result->highest = part.highest;
  if (part.below_white > result->below_white) result->below_white = part.below_white;
#endif
}

// Handles four pixel values at a time, if they lie without gaps; `in` is aligned to 4 bytes.
SLUICE_HOST_DEVICE inline void see_words(const std::uint8_t* in, std::int64_t begin,
                                         std::int64_t end, const ThreadBlock& thread_block,
                                         ReducePart& part) {
  const auto* const words = reinterpret_cast<const std::uint32_t*>(in + begin);
  const auto count = static_cast<int>((end - begin) / 4);
  for (int i = thread_block.index; i < count; i += kThreadBlockSize) {
    const std::uint32_t word = words[i];
    SLUICE_UNROLL
    for (int byte = 0; byte < 4; ++byte) part.see((word >> (8 * byte)) & 255u);
  }
  for (std::int64_t i = begin + 4 * count + thread_block.index; i < end; i += kThreadBlockSize)
    part.see(in[i]);
}

// Does the `number`th tile of the sample. `parts`: one for each thread, shared by the thread block.
SLUICE_HOST_DEVICE inline void reduce_tile(const ReduceJob& job, int number,
                                           const ThreadBlock& thread_block, ReducePart* parts) {
  const std::uint8_t* const in =
      device_view(job.in, static_cast<std::size_t>((job.rows - 1) * job.stride + job.bytes));
  const std::int64_t begin = number * kReduceTile, all = job.rows * job.bytes;
  const std::int64_t end = begin + kReduceTile < all ? begin + kReduceTile : all;
  ReducePart part;
  if (job.rows == 1 && reinterpret_cast<std::uintptr_t>(in) % 4 == 0) {
    see_words(in, begin, end, thread_block, part);
  } else {
    for (std::int64_t i = begin + thread_block.index; i < end; i += kThreadBlockSize)
      part.see(in[i / job.bytes * job.stride + i % job.bytes]);
  }
  parts[thread_block.index] = part;
  for (int half = kThreadBlockSize / 2; half > 0; half /= 2) {
    thread_block.sync();
    if (thread_block.index < half) parts[thread_block.index].see(parts[thread_block.index + half]);
  }
  thread_block.sync();
  if (thread_block.index == 0) add_to_result(device_view(job.result, 1), parts[0]);
}

// `what` and `comparison` are numbered like kernels::Reduction and detail::Comparison.
struct ChooseJob {
  std::int32_t tiles = 1;
  std::int32_t what = 0, comparison = 0;
  std::int32_t number_first = 1;
  const ReduceResult* sums = nullptr;  // device memory
  std::int64_t count = 0;              // of pixel values
  double other = 0;
  std::int32_t* branch = nullptr;  // device memory: 0 if the comparison is true, else 1
};

// Rounds the product by itself, without fusing it with a sum, as on the host.
SLUICE_HOST_DEVICE inline double rounded_product(double x, double y) {
#if defined(__CUDA_ARCH__)
  return __dmul_rn(x, y);
#else
  return x * y;
#endif
}

SLUICE_HOST_DEVICE inline float number_of(const ReduceResult& sums, std::int32_t what,
                                          std::int64_t count) {
  const double levels = static_cast<double>(count);
  switch (what) {
    case 0:  // mean
      return static_cast<float>(static_cast<double>(sums.sum) / levels);
    case 1:  // min
      return static_cast<float>(255 - sums.below_white);
    case 2:  // max
      return static_cast<float>(sums.highest);
    default: {  // standard_deviation
      const auto n = static_cast<std::uint64_t>(count);
      const std::uint64_t whole = sums.sum / n;
      const std::uint64_t squares = sums.squares + whole * whole * n - 2 * whole * sums.sum;
      const double rest = static_cast<double>(sums.sum - whole * n) / levels;
      const double variance = static_cast<double>(squares) / levels - rounded_product(rest, rest);
      return static_cast<float>(std::sqrt(variance > 0 ? variance : 0.0));
    }
  }
}

SLUICE_HOST_DEVICE inline bool compares(std::int32_t comparison, double x, double y) {
  switch (comparison) {
    case 0:
      return x < y;
    case 1:
      return x > y;
    case 2:
      return x <= y;
    case 3:
      return x >= y;
    case 4:
      return x == y;
    default:
      return x != y;
  }
}

SLUICE_HOST_DEVICE inline void choose_tile(const ChooseJob& job, int,
                                           const ThreadBlock& thread_block) {
  if (thread_block.index != 0) return;
  const double number = number_of(*device_view(job.sums, 1), job.what, job.count);
  const bool first = job.number_first != 0;
  const bool is_true =
      compares(job.comparison, first ? number : job.other, first ? job.other : number);
  *device_view(job.branch, 1) = is_true ? 0 : 1;
}

}  // namespace sluice::device
