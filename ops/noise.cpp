#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/kernels/noise.h>
#include <sluice/ops/kernels/places.h>
#include <sluice/ops/noise.h>

#include <cstdint>

namespace sluice {
namespace {

// window_size comes after the input.
void check_jitter(const detail::Arguments& arguments) {
  if (const auto* window = detail::constant_of<std::int32_t>(arguments.at(1)))
    kernels::check_jitter_window(*window);
}

}  // namespace

const detail::OperatorPtr& detail::jitter_operator() {
  static const OperatorPtr op =
      declare_operator("jitter")
          .family("noise")
          .summary("Replaces each pixel with a random one nearby.")
          .in_cpp("jitter(image, 5)")
          .input<Image>("image")
          .parameter<std::int32_t>("window_size",
                                   {.value = 3,
                                    .low = 1,
                                    .high = kernels::kLargestJitterWindow,
                                    .help = "side of the window to draw from, in pixels; odd"})
          .output<Image>("image")
          .checks(check_jitter)
          .runs([](Random& random, const Image& in, std::int32_t window, Image& out) {
            kernels::jitter(random, in, window, out);
          });
  return op;
}

Value<Image> jitter(Value<Image> image, Param<int> window_size) {
  return apply_operator<Image>(detail::jitter_operator(), image, window_size);
}

namespace detail {

const OperatorPtr& gaussian_noise_operator() {
  static const OperatorPtr op =
      declare_operator("gaussian_noise")
          .family("noise")
          .summary("Adds normally distributed noise to each pixel value.")
          .in_cpp("gaussian_noise(image, {.stddev = g.uniform(0.f, 20.f)})")
          .input<Image>("image")
          .parameter<float>("mean", {.value = 0.f,
                                     .low = -double{kernels::kLargestNoise},
                                     .high = double{kernels::kLargestNoise},
                                     .help = "mean of the noise, in pixel values"})
          .parameter<float>("stddev", {.value = 1.f,
                                       .low = 0,
                                       .high = double{kernels::kLargestNoise},
                                       .help = "standard deviation of the noise, in pixel values"})
          .output<Image>("image")
          .runs([](Random& random, const Image& in, float mean, float stddev, Image& out) {
            kernels::gaussian_noise(random, in, mean, stddev, out);
          });
  return op;
}

const OperatorPtr& iso_noise_operator() {
  static const OperatorPtr op =
      declare_operator("iso_noise")
          .family("noise")
          .summary("Adds the noise of a camera sensor: to the lightness and to the hue.")
          .in_cpp("iso_noise(image, {.color_shift = 0.02f, .intensity = g.uniform(0.1f, 0.5f)})")
          .input<Image>("image")
          .parameter<float>(
              "color_shift",
              {.value = 0.05f,
               .low = 0,
               .high = 1,
               .help = "times intensity: standard deviation of the hue's noise, in full turns"})
          .parameter<float>("intensity", {.value = 0.5f,
                                          .low = 0,
                                          .high = double{kernels::kLargestIsoIntensity},
                                          .help = "strength of both kinds of noise"})
          .output<Image>("image")
          .runs(
              [](Random& random, const Image& in, float color_shift, float intensity, Image& out) {
                kernels::iso_noise(random, in, {color_shift, intensity}, out);
              });
  return op;
}

const OperatorPtr& salt_and_pepper_noise_operator() {
  static const OperatorPtr op =
      declare_operator("salt_and_pepper_noise")
          .family("noise")
          .summary("Turns random pixels white or black.")
          .in_cpp("salt_and_pepper_noise(image, {.probability = 0.1f})")
          .input<Image>("image")
          .parameter<float>(
              "probability",
              {.value = 0.05f, .low = 0, .high = 1, .help = "probability that a pixel changes"})
          .parameter<float>("salt_share", {.value = 0.5f,
                                           .low = 0,
                                           .high = 1,
                                           .help = "fraction of changed pixels that turn white"})
          .parameter<bool>("per_channel",
                           {.value = false, .help = "draws for each channel of a pixel on its own"})
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
          .summary(
              "Replaces each pixel value v with factor times a Poisson number of mean v / factor.")
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

Value<Image> iso_noise(Value<Image> image, const IsoNoiseOptions& options) {
  return apply_operator<Image>(detail::iso_noise_operator(), image, options.color_shift,
                               options.intensity);
}

Value<Image> salt_and_pepper_noise(Value<Image> image, const SaltAndPepperNoiseOptions& options) {
  return apply_operator<Image>(detail::salt_and_pepper_noise_operator(), image, options.probability,
                               options.salt_share, options.per_channel);
}

Value<Image> shot_noise(Value<Image> image, Param<float> factor) {
  return apply_operator<Image>(detail::shot_noise_operator(), image, factor);
}

}  // namespace sluice
