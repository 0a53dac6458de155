// gaussian_noise, salt_and_pepper_noise, shot_noise and jitter, for many samples by one launch, or,
// for shots, by two.
//
//   NoiseJob job = gaussian_noise_job(in, out, random.words(), mean, stddev);
//   job.quantiles = ...;                         // device memory, where needs_quantiles says so
//   block.add(job);                              // see tiles.h
//   launch_gaussian_noise(stream, block.on_device(address));
//
// Gives what the operators of ops/ give, bit for bit.
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

// Pictures of one size and as many channels, 1 to 4. Numbers have been checked.
NoiseJob gaussian_noise_job(const PictureIn& in, const PictureOut& out, const RandomWords& words,
                            float mean, float stddev);
NoiseJob salt_and_pepper_job(const PictureIn& in, const PictureOut& out, const RandomWords& words,
                             const kernels::SaltAndPepper& params);
NoiseJob shot_noise_job(const PictureIn& in, const PictureOut& out, const RandomWords& words,
                        float factor);
// The window is odd.
NoiseJob jitter_job(const PictureIn& in, const PictureOut& out, const RandomWords& words,
                    int window_size);

// What NoiseJob::quantiles points to a copy of.
std::span<const float> upper_quantiles();

void launch_gaussian_noise(DeviceStream& stream, const Batch<NoiseJob>& batch);
void launch_salt_and_pepper(DeviceStream& stream, const Batch<NoiseJob>& batch);
void launch_shot_noise(DeviceStream& stream, const Batch<NoiseJob>& batch);
void launch_jitter(DeviceStream& stream, const Batch<NoiseJob>& batch);
// Before that of the shots that use the counts.
void launch_poisson(DeviceStream& stream, const Batch<PoissonJob>& batch);

}  // namespace sluice::device
