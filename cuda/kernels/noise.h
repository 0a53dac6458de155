// Noise kernels: gaussian_noise, salt_and_pepper_noise, shot_noise and jitter, for many samples by
// one launch (two for shot_noise).
//
//   NoiseJob job = gaussian_noise_job(in, out, random.words(), mean, stddev);
//   job.quantiles = ...;                         // device memory, if needs_quantiles is set
//   block.add(job);                              // see tiles.h
//   launch_gaussian_noise(stream, block.on_device(address));
//
// The result equals that of the operators in ops/, bit for bit.
//
// Ownership: none; input, output, tables and jobs belong to the caller and live until the launch is
// over. Input and output do not overlap. Threads: any. Errors: std::invalid_argument, and what
// DeviceStream throws.
#pragma once

#include <sluice/cuda/kernels/noise_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/ops/kernels/noise.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/random.h>

#include <span>

namespace sluice::device {

// Both images have the same size and the same 1 to 4 channels. The caller has checked the numbers.
NoiseJob gaussian_noise_job(const PictureIn& in, const PictureOut& out, const RandomWords& words,
                            float mean, float stddev);
NoiseJob salt_and_pepper_job(const PictureIn& in, const PictureOut& out, const RandomWords& words,
                             const kernels::SaltAndPepper& params);
NoiseJob shot_noise_job(const PictureIn& in, const PictureOut& out, const RandomWords& words,
                        float factor);
// The window must be odd.
NoiseJob jitter_job(const PictureIn& in, const PictureOut& out, const RandomWords& words,
                    int window_size);

// Returns the data that NoiseJob::quantiles must point to a copy of.
std::span<const float> upper_quantiles();

void launch_gaussian_noise(DeviceStream& stream, const Batch<NoiseJob>& batch);
void launch_salt_and_pepper(DeviceStream& stream, const Batch<NoiseJob>& batch);
void launch_shot_noise(DeviceStream& stream, const Batch<NoiseJob>& batch);
void launch_jitter(DeviceStream& stream, const Batch<NoiseJob>& batch);
// Launch it before launch_shot_noise(), which uses the counts.
void launch_poisson(DeviceStream& stream, const Batch<PoissonJob>& batch);

}  // namespace sluice::device
