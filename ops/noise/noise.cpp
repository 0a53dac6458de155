#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/kernels/noise.h>
#include <sluice/ops/noise.h>

namespace sluice {

namespace detail {

const OperatorPtr& gaussian_noise_operator() {
  static const OperatorPtr op =
      declare_operator("gaussian_noise")
          .family("noise")
          .summary("A normal random number is added to each level.")
          .in_cpp("gaussian_noise(image, {.stddev = g.uniform(0.f, 20.f)})")
          .input<Image>("image")
          .parameter<float>("mean", {.value = 0.f,
                                     .low = -double{kernels::kLargestNoise},
                                     .high = double{kernels::kLargestNoise},
                                     .help = "in levels"})
          .parameter<float>(
              "stddev",
              {.value = 1.f, .low = 0, .high = double{kernels::kLargestNoise}, .help = "in levels"})
          .output<Image>("image")
          .runs([](Random& random, const Image& in, float mean, float stddev, Image& out) {
            kernels::gaussian_noise(random, in, mean, stddev, out);
          });
  return op;
}

const OperatorPtr& salt_and_pepper_noise_operator() {
  static const OperatorPtr op =
      declare_operator("salt_and_pepper_noise")
          .family("noise")
          .summary("Random pixels become white or black.")
          .in_cpp("salt_and_pepper_noise(image, {.probability = 0.1f})")
          .input<Image>("image")
          .parameter<float>(
              "probability",
              {.value = 0.05f, .low = 0, .high = 1, .help = "that a pixel is changed"})
          .parameter<float>("salt_share", {.value = 0.5f,
                                           .low = 0,
                                           .high = 1,
                                           .help = "of the changed ones, those that become white"})
          .parameter<bool>("per_channel",
                           {.value = false, .help = "each level of a pixel on its own"})
          .output<Image>("image")
          .runs([](Random& random, const Image& in, float probability, float salt_share,
                   bool per_channel, Image& out) {
            kernels::salt_and_pepper_noise(random, in, {probability, salt_share, per_channel}, out);
          });
  return op;
}

const OperatorPtr& shot_noise_operator() {
  static const OperatorPtr op =
      declare_operator("shot_noise")
          .family("noise")
          .summary("Each level becomes factor times a Poisson number whose mean is level / factor.")
          .in_cpp("shot_noise(image, 5.f)")
          .input<Image>("image")
          .parameter<float>(
              "factor",
              {.low = 0, .high = double{kernels::kLargestShotFactor}, .help = "0 changes nothing"})
          .output<Image>("image")
          .runs([](Random& random, const Image& in, float factor, Image& out) {
            kernels::shot_noise(random, in, factor, out);
          });
  return op;
}

}  // namespace detail

Value<Image> gaussian_noise(Value<Image> image, const GaussianNoiseOptions& options) {
  return apply_operator<Image>(detail::gaussian_noise_operator(), image, options.mean,
                               options.stddev);
}

Value<Image> salt_and_pepper_noise(Value<Image> image, const SaltAndPepperNoiseOptions& options) {
  return apply_operator<Image>(detail::salt_and_pepper_noise_operator(), image, options.probability,
                               options.salt_share, options.per_channel);
}

Value<Image> shot_noise(Value<Image> image, Param<float> factor) {
  return apply_operator<Image>(detail::shot_noise_operator(), image, factor);
}

}  // namespace sluice
