// The CUDA versions of the kernels that use neighboring pixels, or add noise.
#include <sluice/cuda/kernels/blur_tile.h>
#include <sluice/cuda/kernels/filter_2d_tile.h>
#include <sluice/cuda/kernels/morphology_tile.h>
#include <sluice/cuda/kernels/noise_tile.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {
namespace {

// One block for each sample.
__global__ void __launch_bounds__(kBlockThreads) iso_counts(Batch<IsoSumsJob> batch) {
  __shared__ unsigned long long parts[kIsoParts];
  if (is_done(batch, static_cast<int>(blockIdx.x)))
    make_iso_counts(batch.jobs[blockIdx.x], this_thread_block(), parts);
}

}  // namespace

CudaLaunch blur_down_on_cuda(const void* batch) {
  return tiles_on_cuda<BlurJob, blur_down_tile>(batch);
}

CudaLaunch blur_across_on_cuda(const void* batch) {
  return tiles_on_cuda<BlurJob, blur_across_tile>(batch);
}

CudaLaunch morphology_across_on_cuda(const void* batch) {
  return tiles_on_cuda<MorphologyJob, morphology_across_tile>(batch);
}

CudaLaunch morphology_down_on_cuda(const void* batch) {
  return tiles_on_cuda<MorphologyJob, morphology_down_tile>(batch);
}

CudaLaunch gaussian_noise_on_cuda(const void* batch) {
  return tiles_on_cuda<NoiseJob, gaussian_noise_tile>(batch);
}

CudaLaunch iso_sums_on_cuda(const void* batch) {
  return tiles_on_cuda<IsoSumsJob, std::uint32_t, kIsoParts, iso_sums_tile>(batch);
}

CudaLaunch iso_counts_on_cuda(const void* batch) {
  return blocks_on_cuda(iso_counts, static_cast<const Batch<IsoSumsJob>*>(batch)->count);
}

CudaLaunch iso_noise_on_cuda(const void* batch) {
  return tiles_on_cuda<NoiseJob, iso_noise_tile>(batch);
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

CudaLaunch filter_2d_on_cuda(const void* batch) {
  return tiles_on_cuda<Filter2dJob, filter_2d_tile>(batch);
}

CudaLaunch motion_on_cuda(const void* batch) {
  return tiles_on_cuda<Filter2dJob, motion_tile>(batch);
}

CudaLaunch median_on_cuda(const void* batch) {
  return tiles_on_cuda<Filter2dJob, median_tile>(batch);
}

}  // namespace sluice::device
