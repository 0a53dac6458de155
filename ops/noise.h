// Operators that add noise.
//
// Ownership: an operator is created once and lives until the program ends. Threads: several threads
// may call these functions at once, each on its own graph. Errors: BuildError for invalid
// arguments; a failure in one sample is the error of that sample.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

// jitter: replaces each pixel by a random one from a window around it.
//
// | takes | layout, type | channels | returns                 |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the same size  |
//
// See ops/kernels/places.h. Random numbers come from the sample's key. Errors of a sample: an even
// window.

// window_size: odd; the side of the window, in pixels.
Value<Image> jitter(Value<Image> image, Param<int> window_size = 3);

namespace detail {
const OperatorPtr& jitter_operator();
}  // namespace detail

// gaussian_noise, iso_noise, salt_and_pepper_noise and shot_noise: add random noise to an image.
//
// | takes          | layout, type | channels | returns           |
// |----------------|--------------|----------|-------------------|
// | Image, numbers | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// iso_noise does not take 2 channels. Each sample has its own noise. It depends on the seed, the
// epoch and the sample only, not on the number of threads. For the formulas see
// ops/kernels/noise.h.
struct GaussianNoiseOptions {
  Param<float> mean = 0.f;  // in pixel values
  Param<float> stddev = 1.f;
};
Value<Image> gaussian_noise(Value<Image> image, const GaussianNoiseOptions& options);

// The noise of a camera sensor: Poisson noise of the lightness and normal noise of the hue.
struct IsoNoiseOptions {
  // Times the intensity: the standard deviation of the hue's noise, in full turns; 0 to 1.
  Param<float> color_shift = 0.05f;
  Param<float> intensity = 0.5f;  // 0 to 10
};
Value<Image> iso_noise(Value<Image> image, const IsoNoiseOptions& options = {});

struct SaltAndPepperNoiseOptions {
  Param<float> probability = 0.05f;  // that a pixel is changed
  Param<float> salt_share = 0.5f;    // share of changed pixels that turn white; others turn black
  Param<bool> per_channel = false;   // each channel of a pixel on its own
};
Value<Image> salt_and_pepper_noise(Value<Image> image,
                                   const SaltAndPepperNoiseOptions& options = {});

// 0 changes nothing; up to 100.
Value<Image> shot_noise(Value<Image> image, Param<float> factor);

namespace detail {
const OperatorPtr& gaussian_noise_operator();
const OperatorPtr& iso_noise_operator();
const OperatorPtr& salt_and_pepper_noise_operator();
const OperatorPtr& shot_noise_operator();
}  // namespace detail

}  // namespace sluice
