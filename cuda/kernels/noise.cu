#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/noise_tile.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {

int gaussian_noise_on_cuda(const void* batch, void* stream) {
  return launch_tiles<NoiseJob, gaussian_noise_tile>(batch, stream);
}

int salt_and_pepper_on_cuda(const void* batch, void* stream) {
  return launch_tiles<NoiseJob, salt_and_pepper_tile>(batch, stream);
}

int shot_noise_on_cuda(const void* batch, void* stream) {
  return launch_tiles<NoiseJob, shot_noise_tile>(batch, stream);
}

int jitter_on_cuda(const void* batch, void* stream) {
  return launch_tiles<NoiseJob, jitter_tile>(batch, stream);
}

int poisson_on_cuda(const void* batch, void* stream) {
  return launch_tiles<PoissonJob, poisson_tile>(batch, stream);
}

}  // namespace sluice::device
