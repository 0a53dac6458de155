// Choose tiles: compare a number computed from an image with another number, to select a branch.
// The number is computed from the sums like in kernels::reduced(). Internal to the kernel.
//
// Ownership: none. Threads: a team makes one choice. Errors: none.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/kernels/reduce_tile.h>

#include <cmath>
#include <cstdint>

namespace sluice::device {

// `what` and `comparison` are numbered like kernels::Reduction and detail::Comparison.
struct ChooseJob {
  std::int32_t tiles = 1;
  std::int32_t what = 0, comparison = 0;
  std::int32_t number_first = 1;
  const ReduceResult* sums = nullptr;  // device memory
  std::int64_t count = 0;              // of pixel values
  double other = 0;
  std::int32_t* arm = nullptr;  // device memory: 0 if the comparison is true, else 1
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

SLUICE_HOST_DEVICE inline void choose_tile(const ChooseJob& job, int, const Team& team) {
  if (team.index != 0) return;
  const double number = number_of(*device_view(job.sums, 1), job.what, job.count);
  const bool first = job.number_first != 0;
  const bool is_true =
      compares(job.comparison, first ? number : job.other, first ? job.other : number);
  *device_view(job.arm, 1) = is_true ? 0 : 1;
}

}  // namespace sluice::device
