// jpeg_distortion kernels, for many samples by two launches: 8 x 8 blocks, and then pixels.
//
//   JpegBlocksJob blocks = jpeg_blocks_job(in, quality);
//   blocks.planes.data = ...;                    // device memory, blocks.planes.bytes()
//   block.add(blocks);                           // see tiles.h
//   JpegPixelsJob pixels = jpeg_pixels_job(blocks, out);
//   launch_jpeg_blocks(stream, ...);
//   launch_jpeg_pixels(stream, ...);
//
// The result equals that of the operator in ops/, bit for bit.
//
// Ownership: none; input, output, planes and jobs belong to the caller and live until the launches
// are over. Threads: any. Errors: std::invalid_argument, and what DeviceStream throws.
#pragma once

#include <sluice/cuda/kernels/jpeg_distortion_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/runtime/device.h>

namespace sluice::device {

// The image has 1 or 3 channels; the quality is 1 to 100.
JpegBlocksJob jpeg_blocks_job(const PictureIn& in, int quality);
JpegPixelsJob jpeg_pixels_job(const JpegBlocksJob& blocks, const PictureOut& out);
void launch_jpeg_blocks(DeviceStream& stream, const Batch<JpegBlocksJob>& batch);
void launch_jpeg_pixels(DeviceStream& stream, const Batch<JpegPixelsJob>& batch);

}  // namespace sluice::device
