#include <sluice/ops/kernels/interpolation.h>
#include <sluice/ops/kernels/resize.h>

#include <cstdint>

#include <gtest/gtest.h>

namespace sluice {
namespace resize_filter_test {

using kernels::ResizeFilter;

TEST(ResizeFilter, AnInterpolationAloneIsAntialiased) {
  const ResizeFilter filter = Interpolation::bicubic;
  EXPECT_EQ(filter.interpolation, Interpolation::bicubic);
  EXPECT_TRUE(filter.antialias);
  EXPECT_EQ(ResizeFilter(), ResizeFilter(Interpolation::bilinear, true));
  EXPECT_NE(ResizeFilter(), ResizeFilter(Interpolation::bilinear, false));
}

// Stripes of one pixel, of which every third pixel is the middle of one of the output.
TEST(ResizeFilter, WithoutAntialiasOnlyTheNextPixelsCount) {
  constexpr int kWidth = 27;
  Image stripes(1, kWidth, 1);
  for (int x = 0; x < kWidth; ++x) stripes.row(0)[x] = x % 2 == 0 ? 0 : 255;
  for (const Interpolation way : {Interpolation::box, Interpolation::bilinear,
                                  Interpolation::bicubic, Interpolation::lanczos}) {
    Image aliased, smooth;
    kernels::resize(stripes, 1, kWidth / 3, {way, false}, aliased);
    kernels::resize(stripes, 1, kWidth / 3, way, smooth);
    for (int x = 0; x < kWidth / 3; ++x) {
      EXPECT_EQ(aliased.at(0, x, 0), x % 2 == 0 ? 255 : 0) << name_of(way) << " " << x;
      EXPECT_GT(smooth.at(0, x, 0), 60) << name_of(way) << " " << x;
      EXPECT_LT(smooth.at(0, x, 0), 195) << name_of(way) << " " << x;
    }
  }
}

// A picture that becomes larger has the same pixels.
TEST(ResizeFilter, NothingChangesWhereThePictureGrows) {
  Image in(5, 4, 3);
  for (int y = 0; y < 5; ++y) {
    for (int i = 0; i < 12; ++i) in.row(y)[i] = static_cast<std::uint8_t>(y * 53 + i * 91);
  }
  Image one, other;
  kernels::resize(in, 13, 9, {Interpolation::bicubic, false}, one);
  kernels::resize(in, 13, 9, {Interpolation::bicubic, true}, other);
  EXPECT_EQ(one, other);
}

}  // namespace resize_filter_test
}  // namespace sluice
