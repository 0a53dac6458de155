// posterize, solarize and gamma_correction in pipelines: constants, numbers of each sample, and
// refused ones.
#include "tests/ops/color/apply.h"
#include <sluice/ops/color.h>
#include <sluice/ops/kernels/levels.h>

#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace level_operators_test {

using testing::apply;
using testing::build_error;
using testing::expect_images;

TEST(LevelOperators, TakeConstants) {
  for (const int channels : {1, 3, 4}) {
    expect_images(
        apply([](auto image, auto) { return posterize(image, 3); }, channels),
        [](auto, const Image& in, Image& out) { kernels::posterize(in, 3, out); }, channels);
    expect_images(
        apply([](auto image, auto) { return solarize(image); }, channels),
        [](auto, const Image& in, Image& out) { kernels::solarize(in, 128, out); }, channels);
    expect_images(
        apply([](auto image, auto) { return gamma_correction(image, 2, 0.5f); }, channels),
        [](auto, const Image& in, Image& out) { kernels::gamma_correction(in, 2, 0.5f, out); },
        channels);
  }
}

TEST(LevelOperators, TakeNumbersOfEachSample) {
  expect_images(apply([](auto image, auto i) { return posterize(image, i + 2); }),
                [](auto i, const Image& in, Image& out) {
                  kernels::posterize(in, static_cast<int>(i) + 2, out);
                });
  expect_images(apply([](auto image, auto i) { return solarize(image, i * 60); }),
                [](auto i, const Image& in, Image& out) {
                  kernels::solarize(in, static_cast<float>(i * 60), out);
                });
  expect_images(apply([](auto image, auto i) { return gamma_correction(image, i, i + 1); }),
                [](auto i, const Image& in, Image& out) {
                  kernels::gamma_correction(in, static_cast<float>(i), static_cast<float>(i + 1),
                                            out);
                });
}

TEST(LevelOperators, RefuseNumbersByName) {
  const auto begins = [](const std::string& told, const std::string& with) {
    EXPECT_EQ(told.substr(0, with.size()), with);
  };
  begins(build_error([](auto image, auto) { return posterize(image, 9); }),
         "posterize: bits must lie between 1 and 8, not 9");
  begins(build_error([](auto image, auto) { return solarize(image, 257); }),
         "solarize: threshold must lie between 0 and 256, not 257");
  begins(build_error([](auto image, auto) { return gamma_correction(image, -1); }),
         "gamma_correction: gamma must be at least 0, not -1");

  // Sample 0 of the samples 0 to 3 has no bits. The others are as they would be without it.
  const auto result = apply([](auto image, auto i) { return posterize(image, i); });
  ASSERT_EQ(result.errors.size(), 1u);
  EXPECT_EQ(result.errors[0], "posterize: bits must lie between 1 and 8, not 0");
  ASSERT_EQ(result.images.size(), 3u);
  for (int i = 1; i <= 3; ++i) {
    Image out;
    kernels::posterize(testing::numbered_image(i), i, out);
    EXPECT_EQ(result.images[static_cast<std::size_t>(i - 1)], out);
  }
}

}  // namespace level_operators_test
}  // namespace sluice
