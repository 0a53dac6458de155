// box_blur, median_blur, defocus and zoom_blur in pipelines, with a number for each sample.
#include "tests/io/images.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/kernels/blur.h>
#include <sluice/ops/kernels/filter.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/runtime/error.h>

#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace window_blurs_test {

template <class Describe>
auto pipeline_of(const Describe& describe) {
  return make_pipeline({.batch_size = 2, .on_error = OnError::skip}, [&](Graph& g) {
    auto window = g.source(
        2, [](const SampleInfo& info) { return static_cast<int>(info.index_in_epoch) + 3; });
    auto image = g.map(
        "image", [](int) { return draw_image(9, 7, 3, 5); }, window);
    return describe(image, window);
  });
}

template <class Describe>
std::string refusal_of(const Describe& describe) {
  try {
    (void)pipeline_of([&](Value<Image> x, Value<int>) { return describe(x); });
  } catch (const BuildError& error) {
    return error.what();
  }
  return "";
}

TEST(WindowBlurOperators, TakeAWindowOfEachSample) {
  const Image in = draw_image(9, 7, 3, 5);
  Image boxed, median;
  kernels::box_blur(in, 3, boxed);
  kernels::median_blur(in, 3, median);
  auto boxes = pipeline_of(
      [](Value<Image> x, Value<int> window) { return box_blur(x, {.window_size = window}); });
  const auto first = boxes.epoch().next();
  EXPECT_EQ(first->get<0>()[0], boxed);
  EXPECT_EQ(first->errors().at(0).what,
            "box_blur: window_size must be an odd number between 1 and 255, not 4");
  auto medians = pipeline_of(
      [](Value<Image> x, Value<int> window) { return median_blur(x, {.window_size = window}); });
  const auto second = medians.epoch().next();
  EXPECT_EQ(second->get<0>()[0], median);
  EXPECT_EQ(second->errors().at(0).what, "median_blur: window_size must be 3 or 5, not 4");
}

TEST(WindowBlurOperators, TakeARadiusAndAFactorOfEachSample) {
  const Image in = draw_image(9, 7, 3, 5);
  Image expected;
  auto disks = pipeline_of([](Value<Image> x, Value<int> number) {
    return defocus(x, {.radius = 4 - number, .alias_blur = 0.5f});
  });
  const auto first = disks.epoch().next();
  kernels::defocus(in, 1, 0.5f, expected);
  EXPECT_EQ(first->get<0>()[0], expected);
  EXPECT_EQ(first->errors().at(0).what, "defocus: radius must lie between 1 and 50, not 0");
  auto zooms = pipeline_of([](Value<Image> x, Value<int> number) {
    return zoom_blur(x, {.max_factor = cast<float>(number) - 1.5f, .step_factor = 0.001953125f});
  });
  const auto second = zooms.epoch().next();
  kernels::zoom_blur(in, 1.5f, 0.001953125f, expected);
  EXPECT_EQ(second->get<0>()[0], expected);
  EXPECT_EQ(second->errors().at(0).what,
            "zoom_blur: max_factor 2.5 and step_factor 0.001953125 make more than 256 copies; pass "
            "a larger step_factor");
}

TEST(WindowBlurOperators, RefuseConstantsWhenTheGraphIsBuilt) {
  EXPECT_EQ(refusal_of([](Value<Image> x) { return defocus(x, {.radius = 0}); }),
            "defocus: radius must lie between 1 and 50, not 0");
  EXPECT_EQ(refusal_of([](Value<Image> x) { return zoom_blur(x, {.step_factor = 0.f}); }),
            "zoom_blur: step_factor must be above 0 and at most 10, not 0");
  EXPECT_EQ(refusal_of([](Value<Image> x) { return box_blur(x, {.window_size = 6}); }),
            "box_blur: window_size must be an odd number between 1 and 255, not 6");
  EXPECT_EQ(refusal_of([](Value<Image> x) { return median_blur(x, {.window_size = 4}); }),
            "median_blur: window_size must be 3 or 5, not 4");
  EXPECT_EQ(refusal_of([](Value<Image> x) { return median_blur(x); }), "");
}

}  // namespace window_blurs_test
}  // namespace sluice
