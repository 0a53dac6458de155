// The CUDA versions of the tensor kernels.
#include <sluice/cuda/kernels/elementwise_tile.h>
#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/tensor_tile.h>

namespace sluice::device {

CudaLaunch move_on_cuda(const void* batch) { return tiles_on_cuda<MoveJob, move_tile>(batch); }

CudaLaunch resample_on_cuda(const void* batch) {
  return tiles_on_cuda<ResampleJob, resample_tile>(batch);
}

CudaLaunch rotate_tensor_on_cuda(const void* batch) {
  return tiles_on_cuda<RotateTensorJob, rotate_tensor_tile>(batch);
}

CudaLaunch normalize_tensor_on_cuda(const void* batch) {
  return tiles_on_cuda<NormalizeTensorJob, normalize_tensor_tile>(batch);
}

CudaLaunch elementwise_on_cuda(const void* batch) {
  return tiles_on_cuda<ElementwiseJob, elementwise_tile>(batch);
}

}  // namespace sluice::device
