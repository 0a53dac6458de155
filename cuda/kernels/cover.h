// pad_image, expand, crop_padded, erase and grid_mask, for many samples by one launch: pixels that
// stay or are moved by a margin, and a colour.
//
//   CoverJob job = cover_job(in, out, 128);      // a copy, until it is told more
//   cover_rectangle(job, {y, x, height, width});
//   block.add(job);                              // see tiles.h
//   launch_cover(stream, block.on_device(address));
//
// Gives what the operators of ops/ give, bit for bit.
//
// Ownership: none; input, output and jobs belong to the caller and live until the launch is over.
// Input and output do not overlap. Threads: any. Errors: std::invalid_argument, and what
// DeviceStream throws.
#pragma once

#include <sluice/cuda/kernels/cover_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/ops/kernels/border.h>
#include <sluice/ops/kernels/grid_mask.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/image.h>

namespace sluice::device {

// Pictures of as many channels, 1 to 4.
CoverJob cover_job(const PictureIn& in, const PictureOut& out, const Fill& fill);
// The picture stands `top` pixels below the edge of the other one, and `left` of them from it;
// below zero it is cut off.
void cover_margins(CoverJob& job, int top, int left, Border border);
// What of it lies inside the picture.
void cover_rectangle(CoverJob& job, const Rectangle& region);
void cover_grid(CoverJob& job, const kernels::GridMask& mask);
void launch_cover(DeviceStream& stream, const Batch<CoverJob>& batch);

}  // namespace sluice::device
