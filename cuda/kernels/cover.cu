#include <sluice/cuda/kernels/cover_tile.h>
#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {

CudaLaunch cover_on_cuda(const void* batch) { return tiles_on_cuda<CoverJob, cover_tile>(batch); }

}  // namespace sluice::device
