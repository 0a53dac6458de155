// The errors of gaussian_blur about its sizes, constant and per sample.
#include "tests/io/images.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/kernels/blur.h>
#include <sluice/runtime/error.h>

#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace filter_gaussian_blur_test {

auto pipeline_of(const GaussianBlurOptions& options) {
  return make_pipeline({.batch_size = 1}, [&](Graph& g) {
    return gaussian_blur(g.source(1, [](const SampleInfo&) { return draw_image(9, 7, 3, 5); }),
                         options);
  });
}

std::string refusal_of(const GaussianBlurOptions& options) {
  try {
    (void)pipeline_of(options);
  } catch (const BuildError& error) {
    return error.what();
  }
  return "";
}

TEST(GaussianBlurOperator, DoesWhatTheKernelDoes) {
  Image expected;
  kernels::gaussian_blur(draw_image(9, 7, 3, 5), {.sigma = 1.5f, .sigma_y = 0.5f}, expected);
  auto pipeline = pipeline_of({.sigma = 1.5f, .sigma_y = 0.5f});
  EXPECT_EQ(pipeline.epoch().next()->get<0>()[0], expected);
}

TEST(GaussianBlurOperator, RefusesConstantsWhenTheGraphIsBuilt) {
  EXPECT_EQ(refusal_of({}), "gaussian_blur: give sigma, window_size or both");
  EXPECT_EQ(refusal_of({.sigma_y = 2.f}), "gaussian_blur: give sigma, window_size or both");
  EXPECT_EQ(refusal_of({.window_size = 4}),
            "gaussian_blur: window_size must be an odd number between 1 and 255, not 4");
  EXPECT_EQ(refusal_of({.sigma = 1.f, .window_size = 5}), "");
}

TEST(GaussianBlurOperator, ASamplesSizeIsItsOwnError) {
  auto pipeline = make_pipeline({.batch_size = 4, .on_error = OnError::skip}, [](Graph& g) {
    auto i =
        g.source(4, [](const SampleInfo& info) { return static_cast<int>(info.index_in_epoch); });
    auto image = g.map(
        "image", [](int) { return draw_image(9, 7, 3, 5); }, i);
    return gaussian_blur(image, {.window_size = i});
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_EQ(batch->size(), 2u);
  ASSERT_EQ(batch->errors().size(), 2u);
  EXPECT_EQ(batch->errors()[0].what,
            "gaussian_blur: window_size must lie between 1 and 255, not 0");
  EXPECT_EQ(batch->errors()[1].what,
            "gaussian_blur: window_size must be an odd number between 1 and 255, not 2");
}

}  // namespace filter_gaussian_blur_test
}  // namespace sluice
