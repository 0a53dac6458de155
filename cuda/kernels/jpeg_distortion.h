// jpeg_distortion, for many samples by two launches: blocks of 8 x 8, and pixels.
//
//   JpegBlocksJob blocks = jpeg_blocks_job(in, quality);
//   blocks.planes.data = ...;                    // device memory, blocks.planes.bytes()
//   block.add(blocks);                           // see tiles.h
//   JpegPixelsJob pixels = jpeg_pixels_job(blocks, out);
//   launch_jpeg_blocks(stream, ...);
//   launch_jpeg_pixels(stream, ...);
//
// Gives what the operator of ops/ gives, bit for bit.
//
// Ownership: none; input, output, planes and jobs belong to the caller and live until the launches
// are over. Threads: any. Errors: std::invalid_argument, and what DeviceStream throws.
#pragma once

#include <sluice/cuda/kernels/jpeg_distortion_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/runtime/device.h>

namespace sluice::device {

// Of 1 channel or 3; a quality of 1 to 100.
JpegBlocksJob jpeg_blocks_job(const PictureIn& in, int quality);
JpegPixelsJob jpeg_pixels_job(const JpegBlocksJob& blocks, const PictureOut& out);
void launch_jpeg_blocks(DeviceStream& stream, const Batch<JpegBlocksJob>& batch);
void launch_jpeg_pixels(DeviceStream& stream, const Batch<JpegPixelsJob>& batch);

}  // namespace sluice::device
