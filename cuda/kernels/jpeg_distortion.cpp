#include <sluice/cuda/kernels/jpeg_distortion.h>
#include <sluice/cuda/kernels/on_cuda.h>

#include <algorithm>
#include <stdexcept>

namespace sluice::device {
namespace {

const Kernel kBlocks{"jpeg_distortion_blocks", tiles_on_host<JpegBlocksJob, jpeg_blocks_tile>,
                     SLUICE_ON_CUDA(jpeg_distortion_blocks_on_cuda)};
const Kernel kPixels{"jpeg_distortion_pixels", tiles_on_host<JpegPixelsJob, jpeg_pixels_tile>,
                     SLUICE_ON_CUDA(jpeg_distortion_pixels_on_cuda)};

// The example tables of the standard (ITU-T T.81, annex K.1), row by row: for luma, and for chroma,
// whose numbers are 99 outside of the upper left corner.
constexpr std::uint16_t kLuma[64] = {16,  11,  10,  16,  24, 40, 51,  61,  12,  12,  14,  19,  26,
                                     58,  60,  55,  14,  13, 16, 24,  40,  57,  69,  56,  14,  17,
                                     22,  29,  51,  87,  80, 62, 18,  22,  37,  56,  68,  109, 103,
                                     77,  24,  35,  55,  64, 81, 104, 113, 92,  49,  64,  78,  87,
                                     103, 121, 120, 101, 72, 92, 95,  98,  112, 100, 103, 99};
constexpr std::uint16_t kColours[4][4] = {
    {17, 18, 24, 47}, {18, 21, 26, 66}, {24, 26, 56, 99}, {47, 66, 99, 99}};

// Scales like libjpeg: in percent, rounded, and limited to one byte.
std::uint16_t scaled(int quantiser, int quality) {
  const int percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  return static_cast<std::uint16_t>(std::clamp((quantiser * percent + 50) / 100, 1, 255));
}

}  // namespace

JpegBlocksJob jpeg_blocks_job(const PictureIn& in, int quality) {
  if (in.channels != 1 && in.channels != 3)
    throw std::invalid_argument("jpeg_distortion: 1 channel or 3 are possible");
  if (quality < 1 || quality > 100)
    throw std::invalid_argument("jpeg_distortion: the quality must lie between 1 and 100");
  JpegBlocksJob job;
  job.in = in;
  job.planes.height = in.height;
  job.planes.width = in.width;
  job.planes.components = in.channels;
  for (int i = 0; i < 64; ++i) {
    const int row = i / 8, column = i % 8;
    job.quantisers[0][i] = scaled(kLuma[i], quality);
    job.quantisers[1][i] = scaled(row < 4 && column < 4 ? kColours[row][column] : 99, quality);
  }
  job.tiles =
      static_cast<std::int32_t>((job.planes.blocks() + kDistortedBlocks - 1) / kDistortedBlocks);
  return job;
}

JpegPixelsJob jpeg_pixels_job(const JpegBlocksJob& blocks, const PictureOut& out) {
  require_same_shape(blocks.in, out);
  JpegPixelsJob job;
  job.out = out;
  job.planes = blocks.planes;
  job.tiles = picture_tiles(out.height, out.width, kDistortedPixels);
  return job;
}

void launch_jpeg_blocks(DeviceStream& stream, const Batch<JpegBlocksJob>& batch) {
  if (batch.tiles != 0) launch_batch(stream, kBlocks, batch);
}

void launch_jpeg_pixels(DeviceStream& stream, const Batch<JpegPixelsJob>& batch) {
  if (batch.tiles != 0) launch_batch(stream, kPixels, batch);
}

}  // namespace sluice::device
