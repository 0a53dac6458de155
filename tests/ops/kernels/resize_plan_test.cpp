// Sizes and parts: known values of DALI's modes and torchvision's rules, and what holds for all.
#include "tests/error_of.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/resize.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace resize_plan_test {

using kernels::ImageSize;
using kernels::plan_resize;
using kernels::ResizeRequest;

TEST(ResizePlan, KnownSizes) {
  const struct {
    ResizeRequest request;
    int height, width;
    ImageSize expected;
  } cases[] = {
      // One side, both, neither longer than a limit.
      {{.width = 2}, 3, 1, {6, 2}},
      {{.height = 100}, 480, 640, {100, 133}},
      {{.height = 100, .width = 100}, 480, 640, {100, 100}},
      {{.height = 100, .width = 300, .max_size = 200}, 480, 640, {100, 200}},
      {{.height = 300, .max_size = 320}, 480, 640, {240, 320}},
      {{.width = 320, .max_size = 320}, 480, 640, {240, 320}},
      {{.width = 1}, 3, 640, {1, 1}},
      // The shorter side; longer sides cut off.
      {{.shorter = 256}, 375, 500, {256, 341}},
      {{.shorter = 256}, 500, 375, {341, 256}},
      {{.shorter = 256}, 7, 7, {256, 256}},
      {{.shorter = 256, .max_size = 300}, 375, 500, {225, 300}},
      {{.shorter = 800, .max_size = 1333}, 480, 1000, {640, 1333}},
      {{.shorter = 4, .max_size = 2}, 1, 100, {1, 2}},
      // A side that is not given stays.
      {{.height = 100, .mode = ResizeMode::stretch}, 480, 640, {100, 640}},
      {{.width = 900, .mode = ResizeMode::stretch, .max_size = 450}, 480, 640, {450, 450}},
      {{.height = 1, .width = 2, .mode = ResizeMode::stretch}, 480, 640, {1, 2}},
      // Within both, around both.
      {{.height = 300, .width = 300, .mode = ResizeMode::not_larger}, 480, 640, {225, 300}},
      {{.height = 300, .width = 300, .mode = ResizeMode::not_larger}, 640, 480, {300, 225}},
      {{.height = 300, .width = 300, .mode = ResizeMode::not_smaller}, 480, 640, {300, 400}},
      {{.height = 300, .width = 300, .mode = ResizeMode::not_smaller}, 640, 480, {400, 300}},
      {{.height = 300, .width = 300, .mode = ResizeMode::not_smaller, .max_size = 360},
       480,
       640,
       {270, 360}},
      {{.width = 320, .mode = ResizeMode::not_larger}, 480, 640, {240, 320}},
      {{.height = 240, .mode = ResizeMode::not_smaller}, 480, 640, {240, 320}},
      // Of a part.
      {{.width = 50,
        .roi_start_y = 100,
        .roi_start_x = 10.5f,
        .roi_end_y = 125,
        .roi_end_x = 35.5f},
       480,
       640,
       {50, 50}},
      {{.shorter = 50, .roi_start_x = 0.5f, .roi_end_y = 0.25f, .roi_relative = true},
       480,
       640,
       {50, 133}},
      {{.height = 7, .mode = ResizeMode::stretch, .roi_end_x = 12.4f}, 480, 640, {7, 12}},
  };
  for (const auto& [request, height, width, expected] : cases) {
    const ImageSize size = plan_resize(request, height, width).size;
    EXPECT_TRUE(size == expected) << size.height << "x" << size.width << " for " << expected.height
                                  << "x" << expected.width;
  }
}

TEST(ResizePlan, NotLargerAndNotSmallerHoldForAllShapes) {
  for (int height = 1; height <= 40; height += 3) {
    for (int width = 1; width <= 40; width += 2) {
      for (int to = 1; to <= 50; to += 7) {
        const ImageSize in =
            plan_resize({.height = to, .width = 2 * to, .mode = ResizeMode::not_larger}, height,
                        width)
                .size;
        EXPECT_LE(in.height, to);
        EXPECT_LE(in.width, 2 * to);
        EXPECT_TRUE(in.height == to || in.width == 2 * to);
        const ImageSize around =
            plan_resize({.height = to, .width = 2 * to, .mode = ResizeMode::not_smaller}, height,
                        width)
                .size;
        EXPECT_GE(around.height, to);
        EXPECT_GE(around.width, 2 * to);
        EXPECT_TRUE(around.height == to || around.width == 2 * to);
      }
    }
  }
}

TEST(ResizePlan, PartsInPixelsAndShares) {
  const kernels::Box pixels =
      plan_resize({.height = 1, .roi_start_y = 2.5f, .roi_end_y = 7, .roi_end_x = 3}, 10, 4).box;
  EXPECT_EQ(pixels.y, 2.5);
  EXPECT_EQ(pixels.height, 4.5);
  EXPECT_EQ(pixels.x, 0);
  EXPECT_EQ(pixels.width, 3);
  const kernels::Box shares =
      plan_resize({.height = 1, .roi_start_x = 0.5f, .roi_end_y = 1, .roi_relative = true}, 10, 4)
          .box;
  EXPECT_EQ(shares.y, 0);
  EXPECT_EQ(shares.height, 10);
  EXPECT_EQ(shares.x, 2);
  EXPECT_EQ(shares.width, 2);
  const auto told = [](const ResizeRequest& request) {
    return error_of<std::invalid_argument>([&] { (void)plan_resize(request, 10, 4); });
  };
  EXPECT_EQ(told({.height = 1, .roi_end_x = 5}),
            "resize: the region of interest goes from x 0 to 5, but the picture's x goes from 0 to "
            "4; the start must lie before the end, and both inside");
  EXPECT_NE(told({.height = 1, .roi_start_y = 5, .roi_end_y = 5}), "");
  EXPECT_NE(told({.height = 1, .roi_start_y = 10}), "");
  EXPECT_NE(told({.height = 1, .roi_start_y = -1}), "");
  EXPECT_NE(told({.height = 1, .roi_end_y = 1.5f, .roi_relative = true}), "");
  EXPECT_NE(told({.height = 1, .roi_start_y = std::nanf("")}), "");
}

}  // namespace resize_plan_test
}  // namespace sluice
