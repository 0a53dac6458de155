// Operators that draw random numbers for each pixel draw the same ones on a device. Also JPEG
// artifacts.
#include "tests/cuda/same_operator.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/color.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/noise.h>
#include <sluice/runtime/image.h>

#include <gtest/gtest.h>

namespace sluice::device {
namespace noise_operators_test {

TEST(DeviceOperator, DrawsNoiseAsTheHostDoes) {
  expect_same({
      {"gaussian_noise",
       [](Graph& g, Value<Image> image) {
         return gaussian_noise(image,
                               {.mean = g.uniform(-40.f, 40.f), .stddev = g.uniform(-5.f, 60.f)});
       }},
      {"gaussian_noise, far too strong",
       [](Graph& g, Value<Image> image) {
         return gaussian_noise(image, {.mean = -1e6f, .stddev = g.uniform(0.f, 1e6f)});
       }},
      {"iso_noise",
       [](Graph& g, Value<Image> image) {
         return iso_noise(
             image, {.color_shift = g.uniform(-0.1f, 1.f), .intensity = g.uniform(-0.1f, 1.f)});
       }},
      {"iso_noise, far too strong",
       [](Graph& g, Value<Image> image) {
         return iso_noise(image, {.color_shift = 0.2f, .intensity = g.uniform(0.f, 10.f)});
       }},
      {"salt_and_pepper_noise",
       [](Graph& g, Value<Image> image) {
         return salt_and_pepper_noise(image, {.probability = g.uniform(-0.1f, 1.f),
                                              .salt_share = g.uniform(0.f, 1.f),
                                              .per_channel = g.coin_flip(0.5f)});
       }},
      {"salt_and_pepper_noise, all or nothing",
       [](Graph& g, Value<Image> image) {
         return salt_and_pepper_noise(
             image, {.probability = cast<float>(whole(g, 0, 2)), .salt_share = 1.f});
       }},
      {"shot_noise",
       [](Graph& g, Value<Image> image) { return shot_noise(image, g.uniform(0.f, 12.f)); }},
      {"shot_noise, weak",
       [](Graph& g, Value<Image> image) {
         return shot_noise(image, g.uniform(0.f, 1.f) * g.uniform(0.f, 1.f));
       }},
      {"shot_noise by whole numbers",
       [](Graph& g, Value<Image> image) {
         return shot_noise(image, cast<float>(whole(g, -1, 101)));
       }},
      {"jitter",
       [](Graph& g, Value<Image> image) { return jitter(image, whole(g, 0, 6) * 2 + 1); }},
      {"jitter, also even",
       [](Graph& g, Value<Image> image) { return jitter(image, whole(g, 200, 256)); }},
  });
}

TEST(DeviceOperator, LosesWhatAFileLosesAsTheHostDoes) {
  expect_same({
      {"jpeg_distortion",
       [](Graph& g, Value<Image> image) { return jpeg_distortion(image, whole(g, -2, 103)); }},
      {"jpeg_distortion of few levels, by very low and high qualities",
       [](Graph& g, Value<Image> image) {
         return jpeg_distortion(posterize(gaussian_blur(image, {.sigma = 2.f}), 2),
                                whole(g, 1, 3) * 49 + whole(g, -4, 3));
       }},
  });
}

}  // namespace noise_operators_test
}  // namespace sluice::device
