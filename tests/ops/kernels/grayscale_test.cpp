#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/luma.h"
#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/grayscale.h>

#include <gtest/gtest.h>

namespace sluice {
namespace grayscale_test {

using kernels::grayscale;

Image expected(const Image& in, int channels) {
  Image out(in.height(), in.width(), channels);
  for (int y = 0; y < in.height(); ++y) {
    for (int x = 0; x < in.width(); ++x) {
      const int gray = in.channels() == 1
                           ? in.at(y, x, 0)
                           : testing::luma(in.at(y, x, 0), in.at(y, x, 1), in.at(y, x, 2));
      for (int c = 0; c < channels; ++c)
        out.row(y)[x * channels + c] = static_cast<std::uint8_t>(gray);
    }
  }
  return out;
}

TEST(Grayscale, IsPillowsLumaOnEveryInstructionSet) {
  testing::on_every_target([] {
    testing::on_small_pictures({1, 3, 4}, [](const Image& in) {
      for (const int channels : {1, 3}) {
        Image out;
        grayscale(in, channels, out);
        EXPECT_EQ(out, expected(in, channels)) << channels;
      }
    });
  });
}

// Rows without gaps, of more pixels than are computed at once, and all combinations of some levels.
TEST(Grayscale, LongRowsAndExtremeColours) {
  for (const int width : {15, 16, 17, 33, 34, 66, 511, 512, 513, 1500}) {
    for (const int before : {1, 3, 4}) {
      const Image in = testing::make_picture(2, width, before);
      testing::on_every_target([&] {
        for (const int after : {1, 3}) {
          Image out;
          grayscale(in, after, out);
          EXPECT_EQ(out, expected(in, after)) << width;
        }
      });
    }
  }
  Image in(16, 16 * 16, 3);
  for (int i = 0; i < 16 * 16 * 16; ++i) {
    std::uint8_t* pixel = in.data() + 3 * i;
    for (int c = 0; c < 3; ++c) pixel[c] = static_cast<std::uint8_t>((i >> (4 * c)) % 16 * 17);
  }
  Image out;
  grayscale(in, 1, out);
  EXPECT_EQ(out, expected(in, 1));
}

TEST(Grayscale, RefusesWhatCannotBe) {
  const Image in = testing::make_picture(2, 2, 3);
  Image out;
  EXPECT_EQ(testing::refusal([&] { grayscale(in, 2, out); }),
            "grayscale: channels is 2; it must be 1 or 3");
  EXPECT_EQ(testing::refusal([&] { grayscale(Image(), 1, out); }), "grayscale: the image is empty");
  EXPECT_EQ(testing::refusal([&] { grayscale(testing::make_picture(2, 2, 2), 1, out); }),
            "grayscale: the image has 2 channels; 1, 3 or 4 are possible");
}

}  // namespace grayscale_test
}  // namespace sluice
