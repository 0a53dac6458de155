#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/composed_warp.h>
#include <sluice/ops/kernels/translate.h>

#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

namespace sluice {
namespace composed_warp_test {

using kernels::ComposedWarp;
using testing::largest_difference;
using testing::make_picture;

TEST(ComposedWarp, OneMapIsTheOperator) {
  const Image in = make_picture(31, 47, 3);
  for (const float degrees : {0.f, 13.f, 90.f, -45.f, 180.f, 270.f, 1000.f}) {
    for (const bool keep_size : {false, true}) {
      ComposedWarp warp(in);
      warp.rotate(degrees, {.keep_size = keep_size, .fill = 9});
      Image out, expected;
      warp.write_to(out);
      kernels::rotate(in, degrees, {.keep_size = keep_size, .fill = 9}, expected);
      EXPECT_EQ(largest_difference(out, expected), 0) << degrees << " " << keep_size;
    }
  }
}

TEST(ComposedWarp, WhatIsTurnedBackIsTheSame) {
  const Image in = make_picture(20, 33, 4);
  ComposedWarp warp(in);
  warp.rotate(90, {});
  warp.flip(true, false);
  warp.flip(true, false);
  warp.warp("translate", kernels::translate_map(warp.height(), warp.width(), 50, 7, false),
            warp.height(), warp.width(), {});
  warp.warp("translate", kernels::translate_map(warp.height(), warp.width(), -50, -7, false),
            warp.height(), warp.width(), {});
  warp.rotate(-90, {});
  Image out;
  warp.write_to(out);
  EXPECT_EQ(largest_difference(out, in), 0);
}

TEST(ComposedWarp, RefusesWhatTheOperatorsRefuse) {
  const Image in = make_picture(4, 4, 1);
  ComposedWarp warp(in);
  EXPECT_THROW(warp.rotate(std::numeric_limits<float>::infinity(), {}), std::invalid_argument);
  EXPECT_THROW(warp.warp("it", {}, 0, 4, {}), std::invalid_argument);
  EXPECT_THROW(warp.warp("it", {}, 4, 4, {.border = Border::reflect}), std::invalid_argument);
  EXPECT_THROW(ComposedWarp(Image()).flip(true, true), std::invalid_argument);
}

}  // namespace composed_warp_test
}  // namespace sluice
