// Cover kernel: pad_image, expand, crop_padded, erase and grid_mask, for many samples by one
// launch. It copies or shifts pixels, and covers a part with a color.
//
//   CoverJob job = cover_job(in, out, 128);      // copies, until a change is set
//   cover_rectangle(job, {y, x, height, width});
//   block.add(job);                              // see tiles.h
//   launch_cover(stream, block.on_device(address));
//
// The result equals that of the operators in ops/, bit for bit.
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

// Both images have the same 1 to 4 channels.
CoverJob cover_job(const PictureIn& in, const PictureOut& out, const Fill& fill);
// Puts the input `top` pixels below the upper edge of the output, and `left` pixels to the right of
// its left edge. Negative margins cut it off.
void cover_margins(CoverJob& job, int top, int left, Border border);
// Covers the part of the region that lies inside the image.
void cover_rectangle(CoverJob& job, const Rectangle& region);
void cover_grid(CoverJob& job, const kernels::GridMask& mask);
void launch_cover(DeviceStream& stream, const Batch<CoverJob>& batch);

}  // namespace sluice::device
