#include <sluice/cuda/kernels/jpeg_distortion_tile.h>
#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {

int jpeg_distortion_blocks_on_cuda(const void* batch, void* stream) {
  return launch_tiles<JpegBlocksJob, jpeg_blocks_tile>(batch, stream);
}

int jpeg_distortion_pixels_on_cuda(const void* batch, void* stream) {
  return launch_tiles<JpegPixelsJob, jpeg_pixels_tile>(batch, stream);
}

}  // namespace sluice::device
