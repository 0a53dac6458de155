// Operators that make each pixel of the colours in its place, for many samples by one launch:
// saturation, color_twist, color_space_conversion, permute_channels, hue, grayscale, and tables of
// levels that differ by channel.
//
//   ColourJob job = colour_job(in, out);                 // a copy, until it is told more
//   change_by_matrix(job, kernels::float_matrix(kernels::saturation_matrix(1.5f)));
//   block.add(job);                                      // see tiles.h
//   launch_colours(stream, block.on_device(address));
//
// Gives what the operators of ops/ give, bit for bit.
//
// Ownership: none; input, output, tables and jobs belong to the caller and live until the launch is
// over. Input and output do not overlap. Threads: any. Errors: std::invalid_argument, and what
// DeviceStream throws.
#pragma once

#include <sluice/cuda/kernels/colours_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/ops/kernels/colour_matrix.h>
#include <sluice/runtime/device.h>

#include <cstdint>

namespace sluice::device {

// Pictures of one size with 1 to 4 channels.
ColourJob colour_job(const PictureIn& in, const PictureOut& out);
// The picture has 1, 3 or 4 channels, and so has the result; 4 only of 4. `fourth`: a table for
// that one, in device memory, or null.
void change_by_matrix(ColourJob& job, const kernels::FloatMatrix& matrix,
                      const std::uint8_t* fourth = nullptr);
// The picture has 3 channels or 4.
void change_by_hue(ColourJob& job, float degrees);
// The picture has 1, 3 or 4 channels, the result 1 or 3.
void change_to_gray(ColourJob& job);
// As many tables as channels, in device memory.
void change_by_tables(ColourJob& job, const std::uint8_t* tables);
void launch_colours(DeviceStream& stream, const Batch<ColourJob>& batch);

}  // namespace sluice::device
