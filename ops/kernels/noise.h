// Noise: random changes of each pixel value or pixel, and JPEG compression artifacts.
//
// Noise uses the numbers of `random` from its first one on, in pixel order, a fixed count per
// pixel. So a sample's noise depends on its random key only. `random` does not advance.
//
// Threads: any. Errors: std::invalid_argument, also by check_...(), for an empty image, more than 4
// channels, or a number out of its range.
#pragma once

#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>

#include <cstdint>

namespace sluice::kernels {

// The Poisson mean from which normal numbers are used.
inline constexpr double kLargePoissonMean = 64;

inline constexpr float kLargestNoise = 1e6f;  // of mean and stddev
inline constexpr float kLargestShotFactor = 100;

// Replaces each value x by x + n, rounded to nearest and clipped to 0 .. 255. n is normal: one of
// 65536 equally likely numbers. stddev must not be negative.
void check_gaussian_noise(const Image& in, float mean, float stddev);
void gaussian_noise(const Random& random, const Image& in, float mean, float stddev, Image& out);

struct SaltAndPepper {
  float probability = 0.05f;  // that a pixel is changed
  float salt_share = 0.5f;    // share of changed pixels that become 255; the others become 0
  bool per_channel = false;   // each channel of a pixel on its own
};
void check_salt_and_pepper(const Image& in, const SaltAndPepper& params);
// A random word below the first limit changes a pixel; below the second it becomes 255.
struct SaltLimits {
  std::uint64_t changed = 0, white = 0;
};
SaltLimits salt_limits(const SaltAndPepper& params);
void salt_and_pepper_noise(const Random& random, const Image& in, const SaltAndPepper& params,
                           Image& out);

// Replaces each value x by factor * n, rounded and clipped, where n is a Poisson count with mean x
// / factor, like photons at a sensor. 0 changes nothing. Means of 64 and more use normal numbers,
// corrected for skewness.
void check_shot_noise(const Image& in, float factor);
void shot_noise(const Random& random, const Image& in, float factor, Image& out);

// iso_noise: adds the noise of a camera sensor at a high ISO setting, as albumentations 1 defines
// ISONoise.
//
// In HLS, each pixel's lightness l, from 0 to 1, becomes l + n / 255 * (1 - l). n is a Poisson
// count whose mean is 255 * intensity times the standard deviation of the lightness over the image.
// So an image of one lightness gets no such noise. The hue moves by a normal number with a standard
// deviation of 360 * color_shift * intensity degrees; the saturation stays. Results are rounded to
// nearest. A gray image has no hue; a fourth channel is copied. Two random words make the noise of
// a pixel. The formulas are in iso_noise_pixel.h. (albumentations 2 leaves out the factors 255 and
// 360: few pixels become much lighter, and hues hardly move.)
//
// Errors: an empty image, 2 or more than 4 channels, and numbers that are out of range.
inline constexpr float kLargestIsoIntensity = 10;

struct IsoNoise {
  float color_shift = 0.05f;  // 0 to 1
  float intensity = 0.5f;     // 0 to kLargestIsoIntensity; 0 changes nothing
};

void check_iso_noise(const Image& in, const IsoNoise& params);
void iso_noise(const Random& random, const Image& in, const IsoNoise& params, Image& out);

// Returns the standard deviation of the change of the hue, in sixths of the circle.
double iso_hue_deviation(const IsoNoise& params);

// jpeg_distortion: adds JPEG compression artifacts, such as blocks and blurred colors.
//
// The image is encoded and decoded in memory by libjpeg-turbo, with 4:2:0 chroma subsampling.
//
// Errors: an empty image, channels other than 1 and 3, a side of more than 65500 pixels, and a
// quality outside of 1 .. 100.

// Throws the errors of jpeg_distortion().
void check_jpeg_distortion(const Image& in, int quality);

void jpeg_distortion(const Image& in, int quality, Image& out);

}  // namespace sluice::kernels
