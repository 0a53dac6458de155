// JpegTeam: the threads of a block that work together, as seen by one of them. On the host there is
// one thread.
//
// A plain value. All threads of the block must call each sync().
#pragma once

#include <sluice/cuda/device_view.h>

#include <cstdint>

namespace sluice::device {

struct JpegTeam {
  std::uint32_t thread = 0, threads = 1;

  // Waits until all threads have called it; they then see each other's writes.
  SLUICE_HOST_DEVICE void sync() const {
#if defined(__CUDA_ARCH__)
    __syncthreads();
#endif
  }
  // Adds 1 to a shared number, and returns its old value.
  SLUICE_HOST_DEVICE std::uint32_t add_one(std::uint32_t& shared) const {
#if defined(__CUDA_ARCH__)
    return atomicAdd(&shared, 1u);
#else
    return shared++;
#endif
  }
};

}  // namespace sluice::device
