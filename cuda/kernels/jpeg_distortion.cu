#include <sluice/cuda/kernels/jpeg_distortion_tile.h>
#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {

CudaLaunch jpeg_distortion_blocks_on_cuda(const void* batch) {
  return tiles_on_cuda<JpegBlocksJob, jpeg_blocks_tile>(batch);
}

CudaLaunch jpeg_distortion_pixels_on_cuda(const void* batch) {
  return tiles_on_cuda<JpegPixelsJob, jpeg_pixels_tile>(batch);
}

}  // namespace sluice::device
