#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/autocontrast.h>

#include <algorithm>

#include <gtest/gtest.h>

namespace sluice {
namespace autocontrast_test {

using kernels::autocontrast;

Image expected(const Image& in) {
  Image out = in.clone();
  for (int c = 0; c < std::min(3, in.channels()); ++c) {
    int lowest = 255, highest = 0;
    for (int y = 0; y < in.height(); ++y) {
      for (int x = 0; x < in.width(); ++x) {
        lowest = std::min<int>(lowest, in.at(y, x, c));
        highest = std::max<int>(highest, in.at(y, x, c));
      }
    }
    if (lowest == highest) continue;
    for (int y = 0; y < in.height(); ++y) {
      for (int x = 0; x < in.width(); ++x) {
        out.row(y)[x * in.channels() + c] =
            static_cast<std::uint8_t>((in.at(y, x, c) - lowest) * 255 / (highest - lowest));
      }
    }
  }
  return out;
}

TEST(Autocontrast, StretchesEachChannel) {
  testing::on_small_pictures({1, 3, 4}, [](const Image& in) {
    Image out;
    autocontrast(in, out);
    EXPECT_EQ(out, expected(in));
  });
  for (const int channels : {1, 3}) {  // longer than the stretch that is looked at once
    const Image in = testing::make_picture(3, 1301, channels);
    Image out;
    autocontrast(in, out);
    EXPECT_EQ(out, expected(in));
  }
}

// The extremes lie in the last pixel, beyond the vectors of a row, and differ between the channels.
TEST(Autocontrast, KnownValues) {
  Image in = testing::constant_picture(1, 70, 3, 100);
  in.row(0)[69 * 3] = 150;
  in.row(0)[69 * 3 + 1] = 40;
  in.row(0)[3] = 125;
  Image out;
  autocontrast(in, out);
  EXPECT_EQ(out.at(0, 0, 0), 0);
  EXPECT_EQ(out.at(0, 1, 0), 127);
  EXPECT_EQ(out.at(0, 69, 0), 255);
  EXPECT_EQ(out.at(0, 0, 1), 255);
  EXPECT_EQ(out.at(0, 69, 1), 0);
  EXPECT_EQ(out.at(0, 0, 2), 100);  // one level
}

TEST(Autocontrast, RefusesWhatCannotBe) {
  Image out;
  EXPECT_EQ(testing::refusal([&] { autocontrast(testing::make_picture(2, 2, 2), out); }),
            "autocontrast: the image has 2 channels; 1, 3 or 4 are possible");
  EXPECT_EQ(testing::refusal([&] { autocontrast(Image(), out); }),
            "autocontrast: the image is empty");
}

}  // namespace autocontrast_test
}  // namespace sluice
