// Places kernel: samples an image at arbitrary positions, nearest, bilinear or bicubic, for many
// samples by one launch: perspective, warp_perspective, lens_distortion, and elastic, whose shifts
// come from shifts.h.
//
//   PlacesJob job = places_job(in, out, options);
//   from_matrix(job, map);                       // or from_lens(), or from_shifts()
//   block.add(job);                              // see tiles.h
//   launch_places(stream, block.on_device(address));
//
// The result equals that of the operators in ops/, bit for bit.
//
// Ownership: none; input, output, shifts and jobs belong to the caller and live until the launch is
// over. Input and output do not overlap. Threads: any. Errors: std::invalid_argument, and what
// DeviceStream throws.
#pragma once

#include <sluice/cuda/kernels/places_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/ops/kernels/lens_distortion.h>
#include <sluice/ops/kernels/perspective.h>
#include <sluice/ops/kernels/warp_rows.h>
#include <sluice/runtime/device.h>

namespace sluice::device {

// Both images have the same 1 to 4 channels. The caller has checked the options.
PlacesJob places_job(const PictureIn& in, const PictureOut& out,
                     const kernels::WarpOptions& options);
void from_matrix(PlacesJob& job, const kernels::PerspectiveMap& map);
void from_lens(PlacesJob& job, const kernels::Lens& lens);
// `shifts`: see PlacesJob. They are multiplied by `pixels`.
void from_shifts(PlacesJob& job, const float* shifts, double pixels);
void launch_places(DeviceStream& stream, const Batch<PlacesJob>& batch);

}  // namespace sluice::device
