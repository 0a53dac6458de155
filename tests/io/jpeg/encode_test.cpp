#include "tests/io/images.h"
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/header.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace encode_test {

// Returns how often a two-byte marker of this range occurs in the file. Byte stuffing keeps image
// data from looking like one.
int count_markers(const Bytes& file, int low, int high) {
  int count = 0;
  for (std::size_t i = 0; i + 1 < file.size(); ++i) {
    const int marker = file.data()[i + 1];
    if (file.data()[i] == 0xff && marker >= low && marker <= high) ++count;
  }
  return count;
}

double psnr(const Image& a, const Image& b) {
  double sum = 0;
  for (int y = 0; y < a.height(); ++y) {
    for (std::size_t i = 0; i < a.row_bytes(); ++i) {
      const double d = static_cast<double>(a.row(y)[i]) - b.row(y)[i];
      sum += d * d;
    }
  }
  return 10 * std::log10(255.0 * 255.0 * static_cast<double>(a.row_bytes()) * a.height() / sum);
}

// An image without hard edges in its colors, so that every chroma sampling can represent it.
Image smooth_image(int height, int width, int channels) {
  Image image(height, width, channels);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) {
        const double wave = std::sin(0.05 * x + 0.6 * c) * std::cos(0.04 * y);
        image.row(y)[x * channels + c] = static_cast<std::uint8_t>(128 + 100 * wave);
      }
    }
  }
  return image;
}

TEST(JpegEncode, RoundTripIsClose) {
  for (const int channels : {1, 3}) {
    for (const auto s :
         {Subsampling::s444, Subsampling::s422, Subsampling::s420, Subsampling::s440}) {
      for (const bool progressive : {false, true}) {
        const Image image = smooth_image(97, 131, channels);
        const Bytes file =
            encode_jpeg(image, {.quality = 95, .subsampling = s, .progressive = progressive});
        JpegOptions options;
        options.color = channels == 1 ? ColorSpace::gray : ColorSpace::rgb;
        Image back;
        decode_jpeg_image(file, options, back);
        ASSERT_EQ(back.height(), 97);
        ASSERT_EQ(back.width(), 131);
        ASSERT_EQ(back.channels(), channels);
        EXPECT_GT(psnr(image, back), 38) << channels << ' ' << static_cast<int>(s);
      }
    }
  }
}

TEST(JpegEncode, HeaderSaysWhatWasAsked) {
  const Image image = draw_image(40, 60, 3);
  const JpegHeader plain = peek_jpeg(encode_jpeg(image));
  EXPECT_EQ(plain.width, 60);
  EXPECT_EQ(plain.height, 40);
  EXPECT_EQ(plain.components, 3);
  EXPECT_EQ(plain.bits, 8);
  EXPECT_FALSE(plain.progressive);
  EXPECT_FALSE(plain.arithmetic);
  EXPECT_FALSE(plain.lossless);
  EXPECT_EQ(plain.orientation, 1);
  const JpegHeader turned = peek_jpeg(encode_jpeg(image, {.progressive = true, .orientation = 6}));
  EXPECT_TRUE(turned.progressive);
  EXPECT_EQ(turned.orientation, 6);
  EXPECT_EQ(turned.oriented_width(), 40);
  EXPECT_EQ(turned.oriented_height(), 60);
  EXPECT_EQ(peek_jpeg(encode_jpeg(draw_image(8, 8, 1))).components, 1);
}

TEST(JpegEncode, SamplingFactorsStandInTheFrame) {
  struct Case {
    Subsampling subsampling;
    std::uint8_t factors;
  };
  for (const Case& c : {Case{Subsampling::s444, 0x11}, Case{Subsampling::s422, 0x21},
                        Case{Subsampling::s420, 0x22}, Case{Subsampling::s440, 0x12}}) {
    const Bytes file = encode_jpeg(draw_image(16, 16, 3), {.subsampling = c.subsampling});
    const std::array<std::uint8_t, 2> frame{0xff, 0xc0};
    const std::uint8_t* found = std::search(file.begin(), file.end(), frame.begin(), frame.end());
    ASSERT_LT(found + 12, file.end());
    EXPECT_EQ(found[11], c.factors);  // marker, length, bits, height, width, count, id
  }
}

TEST(JpegEncode, OptionsChangeTheFileButNotThePixels) {
  const Image image = draw_image(64, 64, 3);
  const Bytes plain = encode_jpeg(image);
  const Bytes optimized = encode_jpeg(image, {.optimize = true});
  const Bytes restarts = encode_jpeg(image, {.restart_rows = 1});
  EXPECT_LT(optimized.size(), plain.size());
  EXPECT_EQ(count_markers(plain, 0xd0, 0xd7), 0);
  EXPECT_EQ(count_markers(restarts, 0xd0, 0xd7), 3);  // between 4 rows of 16 pixels
  Image a;
  Image b;
  decode_jpeg_image(plain, {}, a);
  for (const Bytes* file : {&optimized, &restarts}) {
    decode_jpeg_image(*file, {}, b);
    EXPECT_TRUE(a == b);
  }
}

TEST(JpegEncode, BetterQualityIsLargerAndCloser) {
  const Image image = draw_image(64, 64, 3);
  std::size_t size = 0;
  double quality = 0;
  for (const int q : {1, 30, 60, 90, 100}) {
    const Bytes file = encode_jpeg(image, {.quality = q, .subsampling = Subsampling::s444});
    Image back;
    decode_jpeg_image(file, {}, back);
    EXPECT_GT(file.size(), size);
    EXPECT_GT(psnr(image, back), quality);
    size = file.size();
    quality = psnr(image, back);
  }
}

// Noise at quality 100 takes more bytes than the first guess of the buffer.
TEST(JpegEncode, GrowsItsBuffer) {
  Random random({.seed = 3});
  Image noise(200, 200, 3);
  for (std::size_t i = 0; i < noise.row_bytes() * 200; ++i) {
    noise.data()[i] = static_cast<std::uint8_t>(random.below(256));
  }
  const Bytes file = encode_jpeg(noise, {.quality = 100, .subsampling = Subsampling::s444});
  EXPECT_GT(file.size(), noise.row_bytes() * 200 / 2);
  Image back;
  decode_jpeg_image(file, {}, back);
  EXPECT_GT(psnr(noise, back), 40);
}

TEST(JpegEncode, EncodesViewsWithGaps) {
  const Image image = draw_image(50, 70, 3);
  const Image part = image.crop_view(5, 7, 31, 33);
  const Bytes a = encode_jpeg(part);
  const Bytes b = encode_jpeg(part.clone());
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
}

TEST(JpegEncode, RefusesWhatAJpegCannotHold) {
  const Image good = draw_image(8, 8, 3);
  const Image two(8, 8, 2);
  const Image four(8, 8, 4);
  const Image wide(1, 65501, 1);
  const Image tall(65501, 1, 1);
  const Image none;
  struct Case {
    const Image* image;
    JpegEncodeOptions options;
    const char* says;
  };
  const Case cases[] = {
      {&none, {}, "empty"},
      {&two, {}, "2 channels"},
      {&four, {}, "4 channels"},
      {&wide, {}, "65501 x 1"},
      {&tall, {}, "1 x 65501"},
      {&good, {.quality = 0}, "quality 0"},
      {&good, {.quality = 101}, "quality 101"},
      {&good, {.orientation = 0}, "orientation 0"},
      {&good, {.orientation = 9}, "orientation 9"},
      {&good, {.restart_rows = -1}, "restart_rows is -1"},
  };
  for (const Case& c : cases) {
    try {
      static_cast<void>(encode_jpeg(*c.image, c.options));
      ADD_FAILURE() << "no error: " << c.says;
    } catch (const JpegError& error) {
      EXPECT_NE(std::string(error.what()).find(c.says), std::string::npos) << error.what();
    }
  }
}

TEST(JpegEncode, TakesTheLargestSides) {
  const Image wide = filled(1, 65500, 1, 77);
  JpegOptions gray;
  gray.color = ColorSpace::gray;
  Image back;
  decode_jpeg_image(encode_jpeg(wide), gray, back);
  EXPECT_TRUE(back == wide);
}

}  // namespace encode_test
}  // namespace sluice
