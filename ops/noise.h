// Operators that add noise.
//
// Ownership: an operator is made once and lives as long as the program. Threads: any number may
// call these functions at once, each for a graph of its own. Errors: BuildError for arguments that
// cannot be; what fails for one sample is the error of that sample.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

// jitter: pixels that have strayed.
//
// | takes | layout, type | channels | gives                   |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the same size  |
//
// Pixels: see ops/kernels/jitter.h. Random numbers are those of the sample's key. Errors of a
// sample: an even window.

// window_size: odd; how far pixels stray, both ways together.
Value<Image> jitter(Value<Image> image, Param<int> window_size = 3);

namespace detail {
const OperatorPtr& jitter_operator();
}  // namespace detail

// gaussian_noise, salt_and_pepper_noise and shot_noise: pictures with random faults.
//
// | takes          | layout, type | channels | gives             |
// |----------------|--------------|----------|-------------------|
// | Image, numbers | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// Each sample has noise of its own, which follows from the seed, the epoch and the sample: the same
// on any number of threads. The formulas stand in ops/kernels/noise.h.
struct GaussianNoiseOptions {
  Param<float> mean = 0.f;  // in levels
  Param<float> stddev = 1.f;
};
Value<Image> gaussian_noise(Value<Image> image, const GaussianNoiseOptions& options);

struct SaltAndPepperNoiseOptions {
  Param<float> probability = 0.05f;  // that a pixel is changed
  Param<float> salt_share = 0.5f;    // of them, those that become white; the others become black
  Param<bool> per_channel = false;   // each level of a pixel on its own
};
Value<Image> salt_and_pepper_noise(Value<Image> image,
                                   const SaltAndPepperNoiseOptions& options = {});

// 0 changes nothing; up to 100.
Value<Image> shot_noise(Value<Image> image, Param<float> factor);

namespace detail {
const OperatorPtr& gaussian_noise_operator();
const OperatorPtr& salt_and_pepper_noise_operator();
const OperatorPtr& shot_noise_operator();
}  // namespace detail

}  // namespace sluice
