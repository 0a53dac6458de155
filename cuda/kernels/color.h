// Color kernels: operators that compute pixels from the pixel values alone, and numbers from
// images. One launch, or a few, serve many samples: fill in a job for each sample, add it to a
// JobBlock (see tiles.h), and launch all jobs of one kind.
//
// The results equal those of the operators in ops/, bit for bit.
//
// Ownership: none; images, tables, memory and jobs belong to the caller and live until the launches
// are over. Inputs and outputs do not overlap. Threads: any. Errors: std::invalid_argument, and
// what DeviceStream throws.
#pragma once

#include <sluice/cuda/kernels/colors_tile.h>
#include <sluice/cuda/kernels/histogram_tile.h>
#include <sluice/cuda/kernels/jpeg_distortion_tile.h>
#include <sluice/cuda/kernels/reduce_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/ops/kernels/color.h>
#include <sluice/ops/kernels/levels.h>
#include <sluice/ops/kernels/reduce.h>
#include <sluice/runtime/device.h>

#include <cstdint>

namespace sluice::device {

// Colors: saturation, color_twist, color_space_conversion, permute_channels, rgb_shift, hue,
// grayscale, and lookup tables that differ by channel, such as that of channel_dropout.
//
//   ColorJob job = color_job(in, out);                 // copies, until a change is set
//   change_by_matrix(job, kernels::float_matrix(kernels::saturation_matrix(1.5f)));
//
// Both images have the same size, and 1 to 4 channels.
ColorJob color_job(const ImageIn& in, const ImageOut& out);
// The input has 1, 3 or 4 channels, and so has the output, but 4 only if the input has 4. `fourth`:
// the lookup table of the fourth channel, in device memory, or null.
void change_by_matrix(ColorJob& job, const kernels::FloatMatrix& matrix,
                      const std::uint8_t* fourth = nullptr);
// The input has 3 or 4 channels.
void change_by_hue(ColorJob& job, float degrees);
// The input has 1, 3 or 4 channels, the output 1 or 3.
void change_to_gray(ColorJob& job);
// `tables`: one for each channel, in device memory.
void change_by_tables(ColorJob& job, const std::uint8_t* tables);
void launch_colors(DeviceStream& stream, const Batch<ColorJob>& batch);

// equalize, autocontrast and contrast, which depend on the whole image: two launches count its
// pixel values and make lookup tables from the counts. launch_colors() then maps the image by
// change_by_tables(). Nothing is copied to the host in between. See HistogramJob for its device
// memory.
//
// The image has 1, 3 or 4 channels. `factor`: only for contrast.
HistogramJob histogram_job(const ImageIn& in, LevelsFor what, float factor = 1);
void launch_luts(DeviceStream& stream, const Batch<HistogramJob>& batch);

// clahe, by two launches: lookup tables for the tiles of each image, and then its pixels. It equals
// the operator in ops/ if the host rounds products and sums one by one.
//
//   ClaheTablesJob tables = clahe_tables_job(in, kernels::clahe_grid(image, params));
//   tables.tables = ...;                         // device memory, table_bytes(tables.cells)
//   ClaheJob job = clahe_job(tables, out);
//
// The image has 1, 3 or 4 channels.
ClaheTablesJob clahe_tables_job(const ImageIn& in, const kernels::ClaheGrid& grid);
// Uses the input image of `tables`; the output has the same shape.
ClaheJob clahe_job(const ClaheTablesJob& tables, const ImageOut& out);
void launch_clahe_tables(DeviceStream& stream, const Batch<ClaheTablesJob>& batch);
void launch_clahe(DeviceStream& stream, const Batch<ClaheJob>& batch);

// jpeg_distortion, by two launches: 8 x 8 blocks, and then pixels.
//
//   JpegBlocksJob blocks = jpeg_blocks_job(in, quality);
//   blocks.planes.data = ...;                    // device memory, blocks.planes.bytes()
//   JpegPixelsJob pixels = jpeg_pixels_job(blocks, out);
//
// The image has 1 or 3 channels; the quality is 1 to 100.
JpegBlocksJob jpeg_blocks_job(const ImageIn& in, int quality);
JpegPixelsJob jpeg_pixels_job(const JpegBlocksJob& blocks, const ImageOut& out);
void launch_jpeg_blocks(DeviceStream& stream, const Batch<JpegBlocksJob>& batch);
void launch_jpeg_pixels(DeviceStream& stream, const Batch<JpegPixelsJob>& batch);

// The sums for mean, min, max and standard_deviation. `rows` has device addresses; set the job's
// `result` to zeros in device memory. After copying the result to the host, call
// kernels::reduced(what, sums_of(result), count).
ReduceJob reduce_job(const kernels::LevelRows& rows);
void launch_reduce(DeviceStream& stream, const Batch<ReduceJob>& batch);
kernels::LevelSums sums_of(const ReduceResult& result);

// Selects branches by numbers computed from such sums; see ChooseJob.
void launch_choose(DeviceStream& stream, const Batch<ChooseJob>& batch);

}  // namespace sluice::device
