// Filter kernels: operators that compute pixels from the pixels around them, and noise. One launch,
// or a few, serve many samples: fill in a job for each sample, add it to a JobBlock (see tiles.h),
// and launch all jobs of one kind.
//
// The results equal those of the operators in ops/, bit for bit; for filter_2d, motion_blur,
// defocus and iso_noise, if the host rounds products and sums one by one.
//
// Ownership: none; images, weights, tables, memory and jobs belong to the caller and live until the
// launches are over. Inputs and outputs do not overlap. Threads: any. Errors:
// std::invalid_argument, and what DeviceStream throws.
#pragma once

#include <sluice/cuda/kernels/blur_tile.h>
#include <sluice/cuda/kernels/filter_2d_tile.h>
#include <sluice/cuda/kernels/morphology_tile.h>
#include <sluice/cuda/kernels/noise_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/ops/kernels/filter.h>
#include <sluice/ops/kernels/noise.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/random.h>

#include <span>

namespace sluice::device {

// gaussian_blur and box_blur, by two launches: along the columns, and along the rows.
//
//   BlurJob job = blur_job(in, out);
//   job.levels = ...;                            // device memory, see BlurJob
//   job.down = ...; job.across = ...;            // kernels::WindowSide, weights in device memory;
//                                                // or both box_side()
//
// Both images have the same size and the same 1 to 4 channels.
BlurJob blur_job(const ImageIn& in, const ImageOut& out);
// Returns a side of a box filter, which weights every pixel with 1.
BlurSide box_side(int window);
void launch_blur(DeviceStream& stream, const Batch<BlurJob>& batch);

// sharpness with filter_2d, motion_blur with defocus, and median_blur: three kernels. Both images
// have the same size and the same 1 to 4 channels.
Filter2dJob sharpness_job(const ImageIn& in, const ImageOut& out, kernels::FixedFactor factor);
Filter2dJob filter_job(const ImageIn& in, const ImageOut& out,
                       const kernels::FilterWeights& filter);
void launch_filter_2d(DeviceStream& stream, const Batch<Filter2dJob>& batch);

// For separate launches. `steps`: in device memory, `count` of them.
Filter2dJob motion_job(const ImageIn& in, const ImageOut& out, const Filter2dStep* steps,
                       int count);
void launch_motion(DeviceStream& stream, const Batch<Filter2dJob>& batch);
// `window_size`: 3 or 5.
Filter2dJob median_job(const ImageIn& in, const ImageOut& out, int window_size);
void launch_median(DeviceStream& stream, const Batch<Filter2dJob>& batch);

// dilate and erode, by two launches: along the rows, and along the columns. Set the job's
// `between`; see MorphologyJob.
//
// Both images have the same size and the same 1 to 4 channels. The caller has checked the window.
MorphologyJob morphology_job(const ImageIn& in, const ImageOut& out,
                             const kernels::MorphologyWindow& window, bool largest);
void launch_morphology(DeviceStream& stream, const Batch<MorphologyJob>& batch);

// gaussian_noise, iso_noise, salt_and_pepper_noise, shot_noise and jitter, by one launch (two for
// iso_noise and shot_noise).
//
//   NoiseJob job = gaussian_noise_job(in, out, random.words(), mean, stddev);
//   job.quantiles = ...;                         // device memory, if needs_quantiles is set
//
// Both images have the same size and the same 1 to 4 channels. The caller has checked the numbers.
NoiseJob gaussian_noise_job(const ImageIn& in, const ImageOut& out, const RandomWords& words,
                            float mean, float stddev);
// Set the job's `iso` to the counts of the IsoSumsJob. The image has 1, 3 or 4 channels.
NoiseJob iso_noise_job(const ImageIn& in, const ImageOut& out, const RandomWords& words,
                       const kernels::IsoNoise& params);
NoiseJob salt_and_pepper_job(const ImageIn& in, const ImageOut& out, const RandomWords& words,
                             const kernels::SaltAndPepper& params);
NoiseJob shot_noise_job(const ImageIn& in, const ImageOut& out, const RandomWords& words,
                        float factor);
// The window must be odd.
NoiseJob jitter_job(const ImageIn& in, const ImageOut& out, const RandomWords& words,
                    int window_size);

// Returns the data that NoiseJob::quantiles must point to a copy of.
std::span<const float> upper_quantiles();

void launch_gaussian_noise(DeviceStream& stream, const Batch<NoiseJob>& batch);
void launch_iso_noise(DeviceStream& stream, const Batch<NoiseJob>& batch);
void launch_salt_and_pepper(DeviceStream& stream, const Batch<NoiseJob>& batch);
void launch_shot_noise(DeviceStream& stream, const Batch<NoiseJob>& batch);
void launch_jitter(DeviceStream& stream, const Batch<NoiseJob>& batch);
// Set the job's `sums`, two numbers for each tile, and `counts`. Launch it before
// launch_iso_noise(), which uses the counts.
IsoSumsJob iso_sums_job(const ImageIn& in, const kernels::IsoNoise& params);
void launch_iso_sums(DeviceStream& stream, const Batch<IsoSumsJob>& batch);
// Launch it before launch_shot_noise(), which uses the counts.
void launch_poisson(DeviceStream& stream, const Batch<PoissonJob>& batch);

}  // namespace sluice::device
