// Warp kernel: applies affine maps, nearest or bilinear, for many samples by one launch: rotate,
// warp_affine, shear, translate. Outside of the image it uses a fill color or the edge.
//
//   WarpJob job = rotate_job(375, 500, 3, 30, {.fill = 128});
//   place_warp(job, in, in_stride, out);       // device addresses; job.out has the size
//   block.add(job);                            // see tiles.h
//   launch_warp(stream, block.on_device(address));
//
// `out` may be changed, to normalize or to map pixel values: see pixels_out.h. The result equals
// that of the operators in ops/, bit for bit.
//
// Ownership: none; input, output and jobs belong to the caller and live until the launch is over.
// Threads: any. Errors: std::invalid_argument, and what DeviceStream throws.
#pragma once

#include <sluice/cuda/kernels/tiles.h>
#include <sluice/cuda/kernels/warp_tile.h>
#include <sluice/ops/kernels/rotate.h>
#include <sluice/ops/kernels/warp_rows.h>
#include <sluice/runtime/device.h>

#include <cstdint>

namespace sluice::device {

// The map from a rotated image to its input, and its size.
struct Rotation {
  Affine from;
  int height = 0, width = 0;
  bool whole_pixels = false;  // for multiples of 90 degrees: each pixel equals one of the input
};
Rotation rotation_of(int in_height, int in_width, float degrees, bool keep_size);

// `out` defines the size and the channels. Nearest or bilinear only.
WarpJob warp_job(int in_height, int in_width, const Affine& from, Interpolation interpolation,
                 const Fill& fill, const PixelsOut& out);
// As warp_affine of ops/; the caller has checked the map.
WarpJob warp_job(int in_height, int in_width, const kernels::AffineMap& from,
                 const kernels::WarpOptions& options, const PixelsOut& out);
// The output is 8-bit pixels with interleaved channels.
WarpJob rotate_job(int in_height, int in_width, int channels, float degrees,
                   const kernels::RotateOptions& options);
// `in_stride`: bytes from row to row.
void place_warp(WarpJob& job, const std::uint8_t* in, std::int64_t in_stride, void* out);
void launch_warp(DeviceStream& stream, const Batch<WarpJob>& batch);

}  // namespace sluice::device
