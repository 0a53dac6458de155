#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/noise_tile.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {

CudaLaunch gaussian_noise_on_cuda(const void* batch) {
  return tiles_on_cuda<NoiseJob, gaussian_noise_tile>(batch);
}

CudaLaunch salt_and_pepper_on_cuda(const void* batch) {
  return tiles_on_cuda<NoiseJob, salt_and_pepper_tile>(batch);
}

CudaLaunch shot_noise_on_cuda(const void* batch) {
  return tiles_on_cuda<NoiseJob, shot_noise_tile>(batch);
}

CudaLaunch jitter_on_cuda(const void* batch) { return tiles_on_cuda<NoiseJob, jitter_tile>(batch); }

CudaLaunch poisson_on_cuda(const void* batch) {
  return tiles_on_cuda<PoissonJob, poisson_tile>(batch);
}

}  // namespace sluice::device
