// Color kernels: operators that compute each pixel from the pixel at the same position, for many
// samples by one launch: saturation, color_twist, color_space_conversion, permute_channels, hue,
// grayscale, and lookup tables that differ by channel.
//
//   ColourJob job = colour_job(in, out);                 // copies, until a change is set
//   change_by_matrix(job, kernels::float_matrix(kernels::saturation_matrix(1.5f)));
//   block.add(job);                                      // see tiles.h
//   launch_colours(stream, block.on_device(address));
//
// The result equals that of the operators in ops/, bit for bit.
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

// Both images have the same size, and 1 to 4 channels.
ColourJob colour_job(const PictureIn& in, const PictureOut& out);
// The input has 1, 3 or 4 channels, and so has the output, but 4 only if the input has 4. `fourth`:
// the lookup table of the fourth channel, in device memory, or null.
void change_by_matrix(ColourJob& job, const kernels::FloatMatrix& matrix,
                      const std::uint8_t* fourth = nullptr);
// The input has 3 or 4 channels.
void change_by_hue(ColourJob& job, float degrees);
// The input has 1, 3 or 4 channels, the output 1 or 3.
void change_to_gray(ColourJob& job);
// `tables`: one for each channel, in device memory.
void change_by_tables(ColourJob& job, const std::uint8_t* tables);
void launch_colours(DeviceStream& stream, const Batch<ColourJob>& batch);

}  // namespace sluice::device
