// Noise: random changes of each level or pixel.
//
// The numbers are those of `random` from its first one on, in the order of the pixels, a fixed
// count for each, so that a sample's noise follows from its random key alone. None is used up.
//
// Errors: std::invalid_argument, also by check_...(), for an empty image, more than 4 channels, or
// a number out of its range. Threads: any.
#pragma once

#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>

#include <cstdint>

namespace sluice::kernels {

// Means from which on shots are normal.
inline constexpr double kLargePoissonMean = 64;

inline constexpr float kLargestNoise = 1e6f;  // of mean and stddev
inline constexpr float kLargestShotFactor = 100;

// Each level x becomes x + n, rounded to nearest and cut to 0 .. 255, where n is normal: of 65536
// numbers that are equally likely. stddev is not negative.
void check_gaussian_noise(const Image& in, float mean, float stddev);
void gaussian_noise(const Random& random, const Image& in, float mean, float stddev, Image& out);

struct SaltAndPepper {
  float probability = 0.05f;  // that a pixel is changed
  float salt_share = 0.5f;    // of the changed ones, those that become 255; the others become 0
  bool per_channel = false;   // each level of a pixel on its own
};
void check_salt_and_pepper(const Image& in, const SaltAndPepper& params);
// The random words below which a pixel changes, and below which it becomes 255.
struct SaltLimits {
  std::uint64_t changed = 0, white = 0;
};
SaltLimits salt_limits(const SaltAndPepper& params);
void salt_and_pepper_noise(const Random& random, const Image& in, const SaltAndPepper& params,
                           Image& out);

// Each level x becomes factor * n, rounded and cut, where n is the count of a Poisson process whose
// mean is x / factor: as photons arrive at a sensor. 0 changes nothing. Means of 64 and more use
// normal numbers, corrected for the skewness.
void check_shot_noise(const Image& in, float factor);
void shot_noise(const Random& random, const Image& in, float factor, Image& out);

}  // namespace sluice::kernels
