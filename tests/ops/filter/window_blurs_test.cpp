// box_blur and median_blur in pipelines, with a window for each sample.
#include "tests/io/images.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/kernels/blur.h>
#include <sluice/ops/kernels/filter.h>
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

TEST(WindowBlurOperators, RefuseConstantsWhenTheGraphIsBuilt) {
  EXPECT_EQ(refusal_of([](Value<Image> x) { return box_blur(x, {.window_size = 6}); }),
            "box_blur: window_size must be an odd number between 1 and 255, not 6");
  EXPECT_EQ(refusal_of([](Value<Image> x) { return median_blur(x, {.window_size = 4}); }),
            "median_blur: window_size must be 3 or 5, not 4");
  EXPECT_EQ(refusal_of([](Value<Image> x) { return median_blur(x); }), "");
}

}  // namespace window_blurs_test
}  // namespace sluice
