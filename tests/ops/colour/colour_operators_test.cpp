// Operators on colours in pipelines: constants, numbers of each sample, and those that are refused.
#include "tests/ops/colour/apply.h"
#include <sluice/ops/colour/contrast.h>
#include <sluice/ops/colour/grayscale.h>
#include <sluice/ops/colour/saturation.h>
#include <sluice/ops/kernels/contrast.h>
#include <sluice/ops/kernels/grayscale.h>
#include <sluice/ops/kernels/saturation.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace {

using testing::apply;
using testing::build_error;
using testing::expect_images;

struct Factor {
  const char* name;
  Value<Image> (*use)(Value<Image>, Param<float>);
  void (*kernel)(const Image&, float, Image&);
};
constexpr Factor kFactors[] = {
    {"contrast", contrast, kernels::contrast},
    {"saturation", saturation, kernels::saturation},
};

TEST(ColourOperators, TakeAFactor) {
  for (const Factor& op : kFactors) {
    SCOPED_TRACE(op.name);
    for (const int channels : {1, 3, 4}) {
      expect_images(
          apply([&](auto image, auto) { return op.use(image, 1.5f); }, channels),
          [&](auto, const Image& in, Image& out) { op.kernel(in, 1.5f, out); }, channels);
    }
    expect_images(
        apply([&](auto image, auto i) { return op.use(image, i); }),
        [&](auto i, const Image& in, Image& out) { op.kernel(in, static_cast<float>(i), out); });
    const std::string wanted = std::string(op.name) + ": factor must be at least 0, not -1";
    EXPECT_EQ(
        build_error([&](auto image, auto) { return op.use(image, -1); }).substr(0, wanted.size()),
        wanted);
    const auto result = apply([&](auto image, auto i) { return op.use(image, i - 1); });
    EXPECT_EQ(result.errors, std::vector<std::string>{wanted});
    EXPECT_EQ(result.images.size(), 3u);
  }
}

TEST(ColourOperators, GrayscaleHasOneChannelOrThree) {
  for (const int channels : {1, 3}) {
    expect_images(
        apply([&](auto image, auto) { return grayscale(image, {.channels = channels}); }),
        [&](auto, const Image& in, Image& out) { kernels::grayscale(in, channels, out); });
  }
  const std::string wanted = "grayscale: channels is 2; it must be 1 or 3";
  EXPECT_EQ(build_error([](auto image, auto) {
              return grayscale(image, {.channels = 2});
            }).substr(0, wanted.size()),
            wanted);
  const auto result = apply([](auto image, auto i) { return grayscale(image, {.channels = i}); });
  EXPECT_EQ(result.errors, (std::vector<std::string>{
                               "grayscale: channels must lie between 1 and 3, not 0", wanted}));
  EXPECT_EQ(result.images.size(), 2u);
}

}  // namespace
}  // namespace sluice
