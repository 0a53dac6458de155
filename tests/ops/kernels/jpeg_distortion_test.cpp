// What must hold of a picture that has been a JPEG file; Pillow's are compared by the oracles.
#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/jpeg_distortion.h>

#include <cmath>

#include <gtest/gtest.h>

namespace sluice {
namespace jpeg_distortion_test {

using testing::largest_difference;
using testing::refusal;

double squares(const Image& a, const Image& b) {
  double sum = 0;
  for (int y = 0; y < a.height(); ++y) {
    for (std::size_t i = 0; i < a.row_bytes(); ++i) sum += std::pow(a.row(y)[i] - b.row(y)[i], 2);
  }
  return sum;
}

// Waves of light and colour that no block holds exactly.
Image waves(int height, int width, int channels) {
  Image image(height, width, channels);
  for (int y = 0; y < height; ++y) {
    for (int i = 0; i < width * channels; ++i) {
      const int x = i / channels;
      image.row(y)[i] = static_cast<std::uint8_t>(127.5 + 80 * std::sin(0.21 * x) *
                                                              std::cos(0.17 * y + i % channels));
    }
  }
  return image;
}

TEST(JpegDistortion, LosesMoreAtLowerQuality) {
  for (const int channels : {1, 3}) {
    const Image in = waves(67, 93, channels);
    double before = -1;
    for (const int quality : {100, 90, 50, 20, 5, 1}) {
      Image out;
      kernels::jpeg_distortion(in, quality, out);
      ASSERT_EQ(out.channels(), channels);
      ASSERT_EQ(out.height(), 67);
      ASSERT_EQ(out.width(), 93);
      const double lost = squares(in, out);
      EXPECT_GT(lost, before) << quality;
      before = lost;
      if (quality == 100 && channels == 1) {
        EXPECT_LE(largest_difference(in, out), 2);
      }
    }
  }
}

TEST(JpegDistortion, OneColourStays) {
  testing::on_small_pictures({1, 3}, [](const Image& in) {
    const Image flat = testing::constant_picture(in.height(), in.width(), in.channels(), 128);
    Image out;
    kernels::jpeg_distortion(flat, 1, out);
    EXPECT_EQ(out, flat);
    kernels::jpeg_distortion(in, 30, out);
    EXPECT_EQ(out.width(), in.width());
  });
}

TEST(JpegDistortion, RefusesWhatCannotBe) {
  Image out;
  const Image in = waves(3, 3, 3);
  EXPECT_EQ(refusal([&] { kernels::jpeg_distortion(waves(2, 2, 4), 50, out); }),
            "jpeg_distortion: the image has 4 channels; 1 or 3 are needed");
  EXPECT_EQ(refusal([&] { kernels::jpeg_distortion(in, 0, out); }),
            "jpeg_distortion: quality must lie between 1 and 100, not 0");
  EXPECT_NE(refusal([&] { kernels::jpeg_distortion(in, 101, out); }), "");
  EXPECT_EQ(refusal([&] { kernels::jpeg_distortion(Image(1, 65501, 1), 50, out); }),
            "jpeg_distortion: the image is 1 x 65501 (height x width); at most 65500 are possible");
  EXPECT_NE(refusal([&] { kernels::jpeg_distortion(Image(), 50, out); }), "");
}

}  // namespace jpeg_distortion_test
}  // namespace sluice
