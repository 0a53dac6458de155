// Histogram kernels: equalize, autocontrast and contrast, which depend on the whole image. They
// count its pixel values and make lookup tables from the counts; colours.h then maps the image by
// the tables. Three launches for many samples, without a copy to the host in between.
//
//   HistogramJob job = histogram_job(in, LevelsFor::contrast, 1.5f);
//   job.counts = ...; job.tables = ...;         // device memory, see HistogramJob
//   block.add(job);                             // see tiles.h
//   launch_level_tables(stream, block.on_device(address));
//   ... and then launch_colours(), with change_by_tables()
//
// The result equals that of the operators in ops/, bit for bit.
//
// Ownership: none; input, counts, tables and jobs belong to the caller and live until the launch is
// over. Threads: any. Errors: std::invalid_argument, and what DeviceStream throws.
#pragma once

#include <sluice/cuda/kernels/histogram_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/runtime/device.h>

namespace sluice::device {

// The image has 1, 3 or 4 channels. `factor`: only for contrast.
HistogramJob histogram_job(const PictureIn& in, LevelsFor what, float factor = 1);
void launch_level_tables(DeviceStream& stream, const Batch<HistogramJob>& batch);

}  // namespace sluice::device
