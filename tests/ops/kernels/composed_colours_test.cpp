#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/composed_colours.h>
#include <sluice/ops/kernels/saturation.h>

#include <stdexcept>

#include <gtest/gtest.h>

namespace sluice {
namespace composed_colours_test {

using kernels::ComposedColours;
using testing::largest_difference;
using testing::make_picture;

// One matrix gives what its operator gives, bit for bit; of a part of a picture, too.
TEST(ComposedColours, OneMapIsTheOperator) {
  const Image whole = make_picture(30, 700, 4);
  const Image in = whole.crop_view(3, 5, 20, 650);
  Image out, expected;
  ComposedColours colours(in);
  colours.apply(kernels::saturation_matrix(1.7f));
  colours.write_to(out);
  kernels::saturation(in, 1.7f, expected);
  EXPECT_EQ(largest_difference(out, expected), 0);
  EXPECT_FALSE(colours.fourth());
}

TEST(ComposedColours, WhatIsTurnedBackIsTheSame) {
  for (const int channels : {1, 3, 4}) {
    const Image in = make_picture(11, 40, channels);
    ComposedColours colours(in);
    colours.map_levels(2, 0);  // beyond white
    colours.map_levels(-0.5, 255);
    colours.map_levels(-1, 255);
    Image out;
    colours.write_to(out);
    EXPECT_EQ(largest_difference(out, in), 0) << channels;
  }
}

TEST(ComposedColours, ChecksWhatItWillBe) {
  const Image in = make_picture(2, 3, 3), two = make_picture(2, 3, 2);
  ComposedColours colours(in);
  colours.check_three_colours("it");
  colours.to_gray(1);
  EXPECT_EQ(colours.channels(), 1);
  EXPECT_THROW(colours.check_three_colours("it"), std::invalid_argument);
  EXPECT_THROW(ComposedColours(two).check_colours("it"), std::invalid_argument);
  EXPECT_THROW(ComposedColours(Image()).check_pixels("it"), std::invalid_argument);
}

}  // namespace composed_colours_test
}  // namespace sluice
