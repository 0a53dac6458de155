// gaussian_noise, salt_and_pepper_noise and shot_noise: pictures with random faults.
//
// | takes          | layout, type | channels | gives             |
// |----------------|--------------|----------|-------------------|
// | Image, numbers | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// Each sample has noise of its own, which follows from the seed, the epoch and the sample: the same
// on any number of threads. The formulas stand in ops/kernels/noise.h.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

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
