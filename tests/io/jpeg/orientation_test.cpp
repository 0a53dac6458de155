#include "tests/io/images.h"
#include <sluice/io/jpeg/orientation.h>

#include <gtest/gtest.h>

namespace sluice {
namespace orientation_test {

// Returns the stored position of pixel (y, x) of the turned image. The EXIF standard's table says
// which side of the scene the stored row 0 and column 0 are.
struct Place {
  int y;
  int x;
};
Place stored_place(int orientation, int y, int x, int height, int width) {
  switch (orientation) {
    case 2:
      return {y, width - 1 - x};
    case 3:
      return {height - 1 - y, width - 1 - x};
    case 4:
      return {height - 1 - y, x};
    case 5:
      return {x, y};
    case 6:
      return {height - 1 - x, y};
    case 7:
      return {height - 1 - x, width - 1 - y};
    case 8:
      return {x, width - 1 - y};
    default:
      return {y, x};
  }
}

TEST(Orientation, MovesEachPixelToItsPlace) {
  for (const int channels : {1, 2, 3, 4}) {
    const Image image = draw_image(13, 21, channels);
    for (int orientation = 0; orientation <= 9; ++orientation) {
      Image out;
      orient(image, orientation, out);
      const bool swap = orientation >= 5 && orientation <= 8;
      EXPECT_EQ(swaps_sides(orientation), swap);
      ASSERT_EQ(out.height(), swap ? 21 : 13);
      ASSERT_EQ(out.width(), swap ? 13 : 21);
      for (int y = 0; y < out.height(); ++y) {
        for (int x = 0; x < out.width(); ++x) {
          const Place p = stored_place(orientation, y, x, 13, 21);
          for (int c = 0; c < channels; ++c) ASSERT_EQ(out.at(y, x, c), image.at(p.y, p.x, c));
        }
      }
    }
  }
}

TEST(Orientation, RegionsTurnAsTheImageDoes) {
  const Image image = draw_image(13, 21, 3);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    Image whole;
    orient(image, orientation, whole);
    for (const Rectangle& w : {Rectangle{0, 0, 1, 1}, Rectangle{2, 5, 4, 3}, Rectangle{9, 1, 3, 12},
                               Rectangle{0, 0, whole.height(), whole.width()}}) {
      const Rectangle s = stored_region(w, orientation, 13, 21);
      EXPECT_EQ(oriented_region(s, orientation, 13, 21), w);
      Image part;
      orient(image.crop_view(s.y, s.x, s.height, s.width), orientation, part);
      EXPECT_TRUE(part == whole.crop_view(w.y, w.x, w.height, w.width)) << orientation;
    }
  }
}

}  // namespace orientation_test
}  // namespace sluice
