#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/color_space_conversion.h>

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

namespace sluice {
namespace color_space_conversion_test {

using kernels::color_space_conversion;
using Colour = std::array<double, 3>;

constexpr PixelFormat kAll[] = {PixelFormat::rgb, PixelFormat::bgr, PixelFormat::ycbcr};

// The numbers as JPEG's definition has them.
Colour rgb_of(const Colour& from, PixelFormat format) {
  if (format == PixelFormat::rgb) return from;
  if (format == PixelFormat::bgr) return {from[2], from[1], from[0]};
  const double cb = from[1] - 128, cr = from[2] - 128;
  return {from[0] + 1.402 * cr, from[0] - 0.344136286 * cb - 0.714136286 * cr,
          from[0] + 1.772 * cb};
}
Colour of_rgb(const Colour& rgb, PixelFormat format) {
  const auto [r, g, b] = rgb;
  if (format == PixelFormat::rgb) return rgb;
  if (format == PixelFormat::bgr) return {b, g, r};
  return {0.299 * r + 0.587 * g + 0.114 * b, -0.168735892 * r - 0.331264108 * g + 0.5 * b + 128,
          0.5 * r - 0.418687589 * g - 0.081312411 * b + 128};
}

TEST(ColorSpaceConversion, FollowsTheFormulasOnEveryInstructionSet) {
  testing::on_every_target([] {
    testing::on_small_pictures({3, 4}, [](const Image& in) {
      for (const PixelFormat from : kAll) {
        for (const PixelFormat to : kAll) {
          Image out;
          color_space_conversion(in, from, to, out);
          ASSERT_EQ(out.channels(), in.channels());
          for (int y = 0; y < in.height(); ++y) {
            for (int x = 0; x < in.width(); ++x) {
              const Colour pixel{double(in.at(y, x, 0)), double(in.at(y, x, 1)),
                                 double(in.at(y, x, 2))};
              const Colour wanted = from == to ? pixel : of_rgb(rgb_of(pixel, from), to);
              for (std::size_t c = 0; c < 3; ++c)
                ASSERT_NEAR(out.at(y, x, static_cast<int>(c)), std::clamp(wanted[c], 0.0, 255.0),
                            0.501 + 2.8 * testing::kColourMatrixError)
                    << name_of(from) << " to " << name_of(to);
              if (in.channels() == 4) {
                ASSERT_EQ(out.at(y, x, 3), in.at(y, x, 3));
              }
            }
          }
        }
      }
    });
  });
}

TEST(ColorSpaceConversion, SameBytesOnEveryInstructionSet) {
  const Image in = testing::make_picture(40, 771, 3);
  for (const PixelFormat from : kAll) {
    for (const PixelFormat to : kAll) {
      Image first;
      color_space_conversion(in, from, to, first);
      testing::on_every_target([&] {
        Image out;
        color_space_conversion(in, from, to, out);
        EXPECT_EQ(out, first) << name_of(from) << " to " << name_of(to);
      });
    }
  }
}

TEST(ColorSpaceConversion, GrayHasNoColourAndComesBack) {
  for (int level = 0; level < 256; ++level) {
    const Image gray = testing::constant_picture(1, 3, 3, level);
    Image there, back;
    color_space_conversion(gray, PixelFormat::rgb, PixelFormat::ycbcr, there);
    EXPECT_EQ(there.at(0, 2, 0), level);
    EXPECT_EQ(there.at(0, 2, 1), 128);
    EXPECT_EQ(there.at(0, 2, 2), 128);
    color_space_conversion(there, PixelFormat::ycbcr, PixelFormat::rgb, back);
    EXPECT_EQ(back, gray);
  }
}

TEST(ColorSpaceConversion, RefusesWhatCannotBe) {
  Image out;
  EXPECT_EQ(testing::refusal([&] {
              color_space_conversion(testing::make_picture(2, 2, 2), PixelFormat::rgb,
                                     PixelFormat::bgr, out);
            }),
            "color_space_conversion: the image has 2 channels; 3 or 4 are possible");
  EXPECT_EQ(testing::refusal(
                [&] { color_space_conversion(Image(), PixelFormat::rgb, PixelFormat::bgr, out); }),
            "color_space_conversion: the image is empty");
}

}  // namespace color_space_conversion_test
}  // namespace sluice
