// Shifts tiles: one tile of elastic's displacements: random numbers for each pixel, along x and
// along y, which are then blurred along the rows and along the columns. The arithmetic is that of
// elastic.h in ops/kernels, step by step. Internal to the kernel.
//
// Ownership: none. Threads and errors: none.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/kernels/picture.h>
#include <sluice/runtime/random.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice::device {

struct ShiftsJob {
  std::int32_t tiles = 0;
  std::int32_t height = 0, width = 0;
  RandomWords words;
  std::int32_t count = 0;  // of weights; 0: no blur
  std::int32_t unused = 0;
  const float* weights = nullptr;  // device memory
  // Device memory, of all pixels along x, then of all along y: the result, and the memory between
  // the two blurs.
  float* shifts = nullptr;
  float* between = nullptr;
};

inline constexpr int kShiftsPixels = 1024;  // per tile

SLUICE_HOST_DEVICE inline std::size_t shifts_of(const ShiftsJob& job) {
  return static_cast<std::size_t>(std::int64_t{2} * job.height * job.width);
}

// Draws four of the tile's numbers from each block of random words.
SLUICE_HOST_DEVICE inline void draw_shifts_tile(const ShiftsJob& job, int number,
                                                const Team& team) {
  constexpr int kBlocks = 2 * kShiftsPixels / 4;
  const auto all = static_cast<std::int64_t>(shifts_of(job));
  float* const shifts = device_view(job.shifts, shifts_of(job));
  for (int i = team.index; i < kBlocks; i += kTeam) {
    const std::int64_t block = std::int64_t{number} * kBlocks + i;
    if (4 * block >= all) return;
    const std::array<std::uint32_t, 4> words = job.words.block(static_cast<std::uint32_t>(block));
    for (unsigned k = 0; k < 4 && 4 * block + k < all; ++k)
      shifts[4 * block + k] = static_cast<float>(words[k] >> 8) * 0x1p-24f * 2 - 1;
  }
}

// Sets each shift of the tile's pixels, along x and along y, to sum_at(shifts of this axis,
// weights, y, x).
template <class SumAt>
SLUICE_HOST_DEVICE void blur_shifts(const ShiftsJob& job, int number, const Team& team,
                                    const float* from, float* to, const SumAt& sum_at) {
  const float* const weights = device_view(job.weights, static_cast<std::size_t>(job.count));
  const std::int64_t pixels = std::int64_t{job.height} * job.width;
  for_pixels<kShiftsPixels>(job.height, job.width, number, team, [&](int y, int x) {
    for (int axis = 0; axis < 2; ++axis) {
      const std::int64_t first = axis * pixels;
      to[first + std::int64_t{y} * job.width + x] = sum_at(from + first, weights, y, x);
    }
  });
}

SLUICE_HOST_DEVICE inline void blur_shifts_across_tile(const ShiftsJob& job, int number,
                                                       const Team& team) {
  if (job.count == 0) return;
  const std::size_t all = shifts_of(job);
  blur_shifts(job, number, team, device_view(static_cast<const float*>(job.shifts), all),
              device_view(job.between, all),
              [&](const float* from, const float* weights, int y, int x) {
                const float* const row = from + std::int64_t{y} * job.width;
                float sum = 0.0f;
                for (int k = 0; k < job.count; ++k)
                  sum += weights[k] * row[mirrored_place(x + k - job.count / 2, job.width)];
                return sum;
              });
}

SLUICE_HOST_DEVICE inline void blur_shifts_down_tile(const ShiftsJob& job, int number,
                                                     const Team& team) {
  if (job.count == 0) return;
  const std::size_t all = shifts_of(job);
  blur_shifts(job, number, team, device_view(static_cast<const float*>(job.between), all),
              device_view(job.shifts, all),
              [&](const float* from, const float* weights, int y, int x) {
                float sum = 0.0f;
                for (int k = 0; k < job.count; ++k) {
                  const std::int64_t row = mirrored_place(y + k - job.count / 2, job.height);
                  sum += weights[k] * from[row * job.width + x];
                }
                return sum;
              });
}

}  // namespace sluice::device
