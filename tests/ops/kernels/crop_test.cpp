#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/crop.h>

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace crop_test {

using kernels::crop;
using testing::make_picture;

TEST(Crop, CopiesTheRegion) {
  for (int channels = 1; channels <= 4; ++channels) {
    const Image in = make_picture(20, 30, channels);
    for (const Rectangle& w :
         {Rectangle{0, 0, 20, 30}, {0, 0, 1, 1}, {19, 29, 1, 1}, {3, 5, 10, 7}}) {
      Image out;
      crop(in, w, out);
      EXPECT_EQ(out, in.crop_view(w.y, w.x, w.height, w.width));
      EXPECT_TRUE(out.contiguous());
      EXPECT_NE(out.data(), in.data());
    }
    // A region of a view counts from the view's corner.
    const Image view = in.crop_view(4, 6, 10, 12);
    Image out;
    crop(view, {1, 2, 3, 4}, out);
    EXPECT_EQ(out, in.crop_view(5, 8, 3, 4));
  }
}

TEST(Crop, RefusesRegionsThatAreNotInside) {
  const Image in = make_picture(20, 30, 3);
  Image out;
  for (const Rectangle& w : {Rectangle{0, 0, 21, 30},
                             {0, 0, 20, 31},
                             {-1, 0, 5, 5},
                             {0, -1, 5, 5},
                             {0, 0, 0, 5},
                             {0, 0, 5, -5},
                             {2147483647, 0, 1, 1},
                             {16, 0, 5, 5}}) {
    try {
      crop(in, w, out);
      ADD_FAILURE() << "accepted " << w.y << " " << w.x << " " << w.height << " " << w.width;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("image of 20 x 30"), std::string::npos)
          << error.what();
    }
  }
  EXPECT_THROW(crop(Image(), {0, 0, 1, 1}, out), std::invalid_argument);
}

}  // namespace crop_test
}  // namespace sluice
