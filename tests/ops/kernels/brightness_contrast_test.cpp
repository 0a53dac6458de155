#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/brightness_contrast.h>

#include <limits>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace brightness_contrast_test {

using kernels::brightness_contrast;

// All 256 values in a strided view of each number of channels.
Image ramp(int channels) {
  Image image(256, 3, channels);
  for (int y = 0; y < 256; ++y) {
    std::fill_n(image.row(y), image.row_bytes(), static_cast<std::uint8_t>(y));
  }
  return image;
}

TEST(BrightnessContrast, FollowsTheFormula) {
  const struct {
    float brightness, contrast, center, shift;
  } cases[] = {{1, 1, 128, 0},     {0, 1, 128, 0},    {1, 0, 128, 0},       {1.9f, 1, 128, 0},
               {1, 3, 128, 0},     {0.5f, 2, 0, 0},   {1.3f, 0.7f, 90, 0},  {100, 100, 128, 0},
               {1, 1, 128, 0.25f}, {1, 1, 128, -1.f}, {0.5f, 2, 60, -0.1f}, {0, 1, 128, 0.5f}};
  for (const auto& c : cases) {
    for (int channels = 1; channels <= 4; ++channels) {
      const Image whole = ramp(channels);
      const Image in = whole.crop_view(0, 1, 256, 2);
      Image out;
      brightness_contrast(in, c.brightness, c.contrast, c.center, c.shift, out);
      for (int x = 0; x < 256; ++x) {
        const double center = c.center;
        const double value = ((x - center) * c.contrast + center) * c.brightness +
                             255.0 * static_cast<double>(c.shift);
        const int expected = testing::to_byte(value);
        for (int k = 0; k < channels; ++k) ASSERT_EQ(out.at(x, 1, k), expected) << x;
      }
    }
  }
}

TEST(BrightnessContrast, OneAndOneIsACopy) {
  const Image in = testing::make_picture(9, 13, 3);
  Image out;
  brightness_contrast(in, 1, 1, out);
  EXPECT_EQ(out, in);
}

TEST(BrightnessContrast, RefusesWhatCannotBe) {
  const Image in = testing::make_picture(2, 2, 3);
  Image out;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(brightness_contrast(in, nan, 1, out), std::invalid_argument);
  EXPECT_THROW(brightness_contrast(in, 1, nan, out), std::invalid_argument);
  EXPECT_THROW(brightness_contrast(in, 1, 1, nan, out), std::invalid_argument);
  EXPECT_THROW(brightness_contrast(in, 1, 1, 128, nan, out), std::invalid_argument);
  EXPECT_THROW(brightness_contrast(Image(), 1, 1, out), std::invalid_argument);
  try {
    brightness_contrast(in, -0.5f, 1, out);
    FAIL() << "a negative brightness was accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("brightness is -0.5"), std::string::npos);
  }
}

}  // namespace brightness_contrast_test
}  // namespace sluice
