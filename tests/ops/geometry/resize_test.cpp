// Sizes and regions as parameters of samples, alone and fused.
#include "tests/error_of.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace geometry_resize_test {

// Resizes the given side of an image of height x 1 pixels to `size`.
std::string outcome_of(int height, int size) {
  auto pipeline =
      make_pipeline({.batch_size = 1, .threads = 1, .on_error = OnError::skip}, [&](Graph& g) {
        auto image = g.source(1, [&](const SampleInfo&) { return Image(height, 1, 1); });
        return resize(image, {.width = size});
      });
  const auto batch = pipeline.epoch().next();
  if (!batch->errors().empty()) return batch->errors()[0].what;
  const Image image = batch->get<0>()[0];
  return std::to_string(image.height()) + " x " + std::to_string(image.width());
}

TEST(Resize, ASideThatFollowsMayBeTooLarge) {
  EXPECT_EQ(outcome_of(3, 2), "6 x 2");
  EXPECT_EQ(outcome_of(60000, 60000),
            "resize: a size of 2147483647 x 60000 (height x width) is not possible; each must lie "
            "in 1 .. 65535");
}

// A constant 0 means that the size is not given. A sample's 0 is a wrong size.
TEST(Resize, ASamplesSizeIsGivenAndMustBeLegal) {
  auto pipeline = make_pipeline({.batch_size = 3, .on_error = OnError::skip}, [](Graph& g) {
    auto size =
        g.source(3, [](const SampleInfo& info) { return static_cast<int>(info.index_in_epoch); });
    auto image = g.map(
        "image", [](int) { return Image(4, 2, 1); }, size);
    return resize(image, {.height = size, .width = 0, .shorter = 0});
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_EQ(batch->size(), 2u);
  EXPECT_EQ(batch->get<0>()[0].width(), 1);
  EXPECT_EQ(batch->get<0>()[1].height(), 2);
  ASSERT_EQ(batch->errors().size(), 1u);
  EXPECT_EQ(batch->errors()[0].what, "resize: height must lie between 1 and 65535, not 0");
}

// The part moves from sample to sample; the flip after it is fused with the resize.
TEST(Resize, APartOfTheImageWithinASize) {
  auto pipeline = make_pipeline({.batch_size = 4, .on_error = OnError::skip}, [](Graph& g) {
    auto start = g.source(
        4, [](const SampleInfo& info) { return static_cast<float>(info.index_in_epoch) * 7; });
    auto image = g.map(
        "image", [](float) { return testing::make_image(20, 30, 3); }, start);
    auto part = resize(image, {.height = 9,
                               .width = 9,
                               .mode = ResizeMode::not_larger,
                               .max_size = 8,
                               .roi_start_y = start,
                               .roi_end_x = 12.5f});
    return flip(part);
  });
  const Image in = testing::make_image(20, 30, 3);
  const auto batch = pipeline.epoch().next();
  ASSERT_EQ(batch->size(), 3u);
  const ImageSize sizes[] = {{8, 5}, {8, 8}, {4, 8}};
  for (std::size_t k = 0; k < 3; ++k) {
    const double start = 7.0 * static_cast<double>(k);
    Image resized, expected;
    kernels::resize(in, kernels::Box{start, 0, 20 - start, 12.5}, sizes[k].height, sizes[k].width,
                    Interpolation::bilinear, resized);
    kernels::flip(resized, true, false, expected);
    EXPECT_EQ(batch->get<0>()[k], expected) << k;
  }
  ASSERT_EQ(batch->errors().size(), 1u);
  EXPECT_NE(batch->errors()[0].what.find("goes from y 21 to 20"), std::string::npos);
}

TEST(Resize, ConstantsThatNoImageCanFulfilAreRefused) {
  const auto told = [](const ResizeOptions& options) {
    return error_of<BuildError>([&] {
      (void)make_pipeline({}, [&](Graph& g) {
        return resize(g.source(1, [](const SampleInfo&) { return Image(2, 2, 1); }), options);
      });
    });
  };
  EXPECT_NE(told({.shorter = 8, .mode = ResizeMode::stretch}).find("mode 'stretch'"),
            std::string::npos);
  EXPECT_NE(told({.width = 8, .roi_start_x = 5.f, .roi_end_x = 5.f}).find("roi_start_x"),
            std::string::npos);
  EXPECT_NE(told({.width = 8, .roi_end_y = 2.f, .roi_relative = true}).find("roi_start_y"),
            std::string::npos);
  EXPECT_NE(told({.max_size = 8}).find("give height and width"), std::string::npos);
}

}  // namespace geometry_resize_test
}  // namespace sluice
