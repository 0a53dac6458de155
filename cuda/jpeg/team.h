// JpegTeam: the threads of a block that work at one thing together, as one of them sees it. On the
// host there is one.
//
// A plain value. All threads of the block come to each sync().
#pragma once

#include <sluice/cuda/device_view.h>

#include <cstdint>

namespace sluice::device {

struct JpegTeam {
  std::uint32_t thread = 0, threads = 1;

  // Nobody goes on before all have come here, and then sees what they have written.
  SLUICE_HOST_DEVICE void sync() const {
#if defined(__CUDA_ARCH__)
    __syncthreads();
#endif
  }
  // Adds 1 to what the team shares, and gives what it was.
  SLUICE_HOST_DEVICE std::uint32_t add_one(std::uint32_t& shared) const {
#if defined(__CUDA_ARCH__)
    return atomicAdd(&shared, 1u);
#else
    return shared++;
#endif
  }
};

}  // namespace sluice::device
