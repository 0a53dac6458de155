// The numbers that PNG and TIFF files store, as tensors; and TIFF files as images and masks. The
// files are written by hand.
#include "tests/error_of.h"
#include "tests/io/images/png_writer.h"
#include "tests/io/images/tiff_writer.h"
#include "tests/mutants.h"
#include <sluice/io/images/decode_image.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/runtime/half.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace decode_tensor_test {

constexpr std::int64_t kMost = std::int64_t{1} << 29;

std::span<const std::uint8_t> bytes_of(std::string_view file) {
  return {reinterpret_cast<const std::uint8_t*>(file.data()), file.size()};
}

Tensor numbers_of(std::string_view file, std::int64_t most = kMost) {
  Tensor out;
  decode_tensor_file(bytes_of(file), most, out);
  return out;
}

std::string refusal(std::string_view file, std::int64_t most = kMost) {
  return error_of<ImageError>([&] { numbers_of(file, most); });
}

Image pixels_of(std::string_view file, const ImageOptions& options = {}) {
  Image out;
  decode_image_file(bytes_of(file), options, out);
  return out;
}

std::string pixels_refusal(std::string_view file, const ImageOptions& options = {}) {
  return error_of<ImageError>([&] { pixels_of(file, options); });
}

// The bits of number (y, x, c), all of `bits` used.
std::uint64_t bits_at(int y, int x, int c, int bits) {
  std::uint64_t n = static_cast<std::uint64_t>(y * 1009 + x * 31 + c * 7 + 3) * 0x9e3779b97f4a7c15U;
  n ^= n >> 29;
  return bits == 64 ? n : n & ((std::uint64_t{1} << bits) - 1);
}

std::uint64_t bits_of(const Tensor& tensor, std::int64_t at) {
  std::uint64_t bits = 0;
  static_assert(std::endian::native == std::endian::little);
  const std::size_t bytes = size_of(tensor.dtype());
  std::memcpy(&bits, tensor.bytes() + static_cast<std::size_t>(at) * bytes, bytes);
  return bits;
}

void expect_numbers(const Tensor& tensor, int height, int width, int channels, int bits,
                    DType dtype) {
  ASSERT_EQ(tensor.shape(), (Shape{height, width, channels}));
  ASSERT_EQ(tensor.dtype(), dtype);
  EXPECT_EQ(tensor.layout(), Layout::hwc);
  std::int64_t at = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c)
        ASSERT_EQ(bits_of(tensor, at++), bits_at(y, x, c, bits)) << y << " " << x << " " << c;
    }
  }
}

PngImage png_of(int bits, int color, bool interlaced) {
  return {.width = 13,
          .height = 7,
          .bits = bits,
          .color = color,
          .interlaced = interlaced,
          .level = [bits](int y, int x,
                          int c) { return static_cast<unsigned>(bits_at(y, x, c, bits)); },
          .before_data = color == 3 ? png_chunk("PLTE", std::string(6, '\x40')) : ""};
}

TEST(DecodeTensor, PngFilesKeepTheirNumbers) {
  if (!can_decode(ImageFormat::png)) GTEST_SKIP() << "this build has no PNG";
  struct Case {
    int color, channels;
    std::vector<int> bits;
  };
  for (const auto& [color, channels, all_bits] : {Case{0, 1, {1, 2, 4, 8, 16}},
                                                  {2, 3, {8, 16}},
                                                  {3, 1, {1, 2, 4, 8}},
                                                  {4, 2, {8, 16}},
                                                  {6, 4, {8, 16}}}) {
    for (const int bits : all_bits) {
      for (const bool interlaced : {false, true}) {
        SCOPED_TRACE(::testing::Message() << "color " << color << ", " << bits << " bits");
        expect_numbers(numbers_of(png_file(png_of(bits, color, interlaced))), 7, 13, channels, bits,
                       bits == 16 ? DType::u16 : DType::u8);
      }
    }
  }
}

class DecodeTiff : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_decode(ImageFormat::tiff)) GTEST_SKIP() << "this build has no TIFF";
  }
};

TiffImage tiff_of(int bits, int channels = 1) {
  TiffImage image;
  image.width = 37;
  image.height = 21;
  image.channels = channels;
  image.bits = bits;
  image.photometric = channels == 3 || channels == 4 ? 2 : 1;
  image.number = [bits](int y, int x, int c) { return bits_at(y, x, c, bits); };
  return image;
}

// Strips of few rows or of all, and tiles; interleaved and in planes; both byte orders; deflate.
std::vector<TiffImage> arranged(const TiffImage& image) {
  std::vector<TiffImage> all;
  for (const int tile : {0, 16, 48}) {
    for (const int rows : {1, 8, 1000}) {
      if (tile > 0 && rows > 1) continue;
      for (const bool planar : {false, true}) {
        if (planar && image.channels == 1) continue;
        for (const bool deflated : {false, true}) {
          all.push_back(image);
          all.back().tile = tile;
          all.back().rows_per_strip = rows;
          all.back().planar = planar;
          all.back().deflated = deflated;
          all.back().big_endian = (all.size() % 2 == 0) != planar;
        }
      }
    }
  }
  return all;
}

TEST_F(DecodeTiff, NumbersAreKept) {
  struct Case {
    int bits, format;
    DType dtype;
    std::vector<int> channels;
  };
  for (const auto& [bits, format, dtype, all_channels] : {Case{1, 1, DType::u8, {1}},
                                                          {2, 1, DType::u8, {1}},
                                                          {4, 1, DType::u8, {1}},
                                                          {8, 1, DType::u8, {1, 3, 4, 16}},
                                                          {16, 1, DType::u16, {1, 2, 3, 4, 13, 16}},
                                                          {8, 2, DType::i8, {2}},
                                                          {16, 2, DType::i16, {1, 3}},
                                                          {32, 2, DType::i32, {1}},
                                                          {64, 2, DType::i64, {1}},
                                                          {16, 3, DType::f16, {1}},
                                                          {32, 3, DType::f32, {1, 5}},
                                                          {64, 3, DType::f64, {2}}}) {
    for (const int channels : all_channels) {
      TiffImage image = tiff_of(bits, channels);
      image.format = format;
      for (const TiffImage& one : arranged(image)) {
        SCOPED_TRACE(::testing::Message()
                     << name_of(dtype) << " x " << channels << ", tile " << one.tile << ", rows "
                     << one.rows_per_strip << ", planar " << one.planar << ", " << one.deflated);
        expect_numbers(numbers_of(tiff_file(one)), 21, 37, channels, bits, dtype);
      }
    }
  }
}

TEST_F(DecodeTiff, ImagesHaveEightBits) {
  const auto expect = [](const TiffImage& image, int channels, const auto& level) {
    for (const TiffImage& one : arranged(image)) {
      const Image pixels =
          pixels_of(tiff_file(one), {.color = channels == 3 ? ColorSpace::rgb : ColorSpace::gray});
      ASSERT_EQ(pixels.channels(), channels);
      EXPECT_EQ(peek_image(bytes_of(tiff_file(one))), (ImageSize{21, 37}));
      for (int y = 0; y < 21; ++y) {
        for (int x = 0; x < 37; ++x) {
          for (int c = 0; c < channels; ++c) ASSERT_EQ(pixels.at(y, x, c), level(y, x, c));
        }
      }
    }
  };
  for (const int channels : {3, 4}) {
    expect(tiff_of(8, channels), 3, [](int y, int x, int c) { return bits_at(y, x, c, 8); });
    expect(tiff_of(16, channels), 3, [](int y, int x, int c) { return bits_at(y, x, c, 16) >> 8; });
  }
  for (const int channels : {1, 2}) {
    expect(tiff_of(8, channels), 1, [](int y, int x, int) { return bits_at(y, x, 0, 8); });
    expect(tiff_of(16, channels), 1, [](int y, int x, int) { return bits_at(y, x, 0, 16) >> 8; });
  }
  expect(tiff_of(2), 1, [](int y, int x, int) { return bits_at(y, x, 0, 2) * 85; });
  TiffImage white = tiff_of(4);
  white.photometric = 0;
  expect(white, 1, [](int y, int x, int) { return 255 - bits_at(y, x, 0, 4) * 17; });
}

TiffImage with_palette(int bits) {
  TiffImage image = tiff_of(bits);
  image.photometric = 3;
  for (int i = 0; i < 3 << bits; ++i)
    image.palette.push_back(static_cast<std::uint16_t>(bits_at(0, i, 0, 16)));
  return image;
}

TEST_F(DecodeTiff, PalettesBecomeColorsOrIds) {
  for (const int bits : {4, 8}) {
    const TiffImage image = with_palette(bits);
    const std::string file = tiff_file(image);
    const Image colors = pixels_of(file), ids = pixels_of(file, {.ids = true});
    ASSERT_EQ(colors.channels(), 3);
    ASSERT_EQ(ids.channels(), 1);
    for (int y = 0; y < 21; ++y) {
      for (int x = 0; x < 37; ++x) {
        const auto id = static_cast<int>(bits_at(y, x, 0, bits));
        ASSERT_EQ(ids.at(y, x, 0), id);
        for (int c = 0; c < 3; ++c) {
          const int at = (c << bits) + id;
          ASSERT_EQ(colors.at(y, x, c), image.palette[static_cast<std::size_t>(at)] >> 8);
        }
      }
    }
    expect_numbers(numbers_of(file), 21, 37, 1, bits, DType::u8);
  }
  TiffImage small = tiff_of(16);
  small.number = [](int y, int x, int) { return static_cast<std::uint64_t>(y * 7 + x); };
  EXPECT_EQ(pixels_of(tiff_file(small), {.ids = true}).at(20, 36, 0), 176);
  small.number = [](int, int, int) { return 300; };
  EXPECT_EQ(pixels_refusal(tiff_file(small), {.ids = true}),
            "a mask of 16 bits has the id 300; ids go to 255");
  EXPECT_EQ(pixels_refusal(tiff_file(tiff_of(8, 3)), {.ids = true}),
            "this TIFF file is not a mask: it has colors instead of ids; save masks as PNG with a "
            "palette or in gray");
}

TEST_F(DecodeTiff, WhatCannotBeDecodedSaysWhy) {
  TiffImage floats = tiff_of(32);
  floats.format = 3;
  EXPECT_EQ(pixels_refusal(tiff_file(floats)),
            "this TIFF file has 1 channels of type f32 and photometric interpretation 1; pixels of "
            "8 bits are made of gray, RGB and palettes of up to 16 bits: use decode_tensor");
  EXPECT_EQ(refusal(tiff_file(tiff_of(32))),
            "a TIFF file with 1 channels of 32 bits and sample format 1; possible are unsigned "
            "numbers of 8 and 16 bits, 1, 2 and 4 bits in one channel, signed numbers of 8 to 64 "
            "bits, and floating-point numbers of 16 to 64 bits");
  const auto changed = [](int tag, std::uint32_t value) {
    TiffImage image = tiff_of(8);
    image.others[tag] = {value};
    return refusal(tiff_file(image));
  };
  EXPECT_EQ(changed(259, 6),
            "a TIFF file with compression 6, which cannot be decoded; save it again with deflate");
  TiffImage ycbcr = tiff_of(8, 3);
  ycbcr.photometric = 6;
  EXPECT_EQ(refusal(tiff_file(ycbcr)),
            "a TIFF file of YCbCr without JPEG compression; save it as RGB");
  EXPECT_EQ(changed(256, 0).substr(0, 18), "broken TIFF file: ");
  EXPECT_EQ(changed(257, 100000), "broken TIFF file: a strip or tile has no data");
}

TEST(DecodeTensor, LimitsAndOtherFormats) {
  if (can_decode(ImageFormat::png)) {
    const std::string file = png_file(png_of(16, 6, false));
    numbers_of(file, 7 * 13 * 8);
    EXPECT_EQ(refusal(file, 7 * 13 * 8 - 1),
              "13 x 7 pixels of 8 bytes are more than the limit of 727 bytes; raise "
              "max_output_bytes");
    EXPECT_EQ(refusal(png_header({.width = 0})),
              "broken header: an image of 0 x 1 pixels (width x height)");
  }
  if (can_decode(ImageFormat::tiff)) {
    const std::string file = tiff_file(tiff_of(16, 13));
    numbers_of(file, 21 * 37 * 26);
    EXPECT_NE(refusal(file, 21 * 37 * 26 - 1).find("raise max_output_bytes"), std::string::npos);
    // The file stores more than the pixels take.
    EXPECT_NE(pixels_refusal(file, {.max_output_bytes = 21 * 37 * 26 - 1}).find("pixels of 26"),
              std::string::npos);
  }
  const Bytes jpeg = encode_jpeg(Image(8, 8, 3), {});
  EXPECT_EQ(refusal({reinterpret_cast<const char*>(jpeg.data()), jpeg.size()}),
            "decode_tensor decodes PNG and TIFF files, but this is a JPEG file; use decode_image");
  if (can_decode(ImageFormat::gif)) {
    EXPECT_EQ(refusal("GIF89a"),
              "decode_tensor decodes PNG and TIFF files, but this is a GIF file; use decode_image");
  }
  EXPECT_EQ(refusal("some text"),
            "not a JPEG, PNG, TIFF, WebP or GIF file: starts with 73 6f 6d 65");
}

std::vector<std::string> some_files() {
  std::vector<std::string> files;
  if (can_decode(ImageFormat::png)) files.push_back(png_file(png_of(16, 2, false)));
  if (!can_decode(ImageFormat::tiff)) return files;
  for (const TiffImage& image : arranged(tiff_of(16, 3))) files.push_back(tiff_file(image));
  files.push_back(tiff_file(with_palette(4)));
  return files;
}

TEST(DecodeTensor, AFileThatIsCutIsAnError) {
  for (const std::string& file : some_files()) {
    for (std::size_t size = 0; size < file.size(); size += 1 + size / 40)
      EXPECT_NE(refusal(file.substr(0, size)), "") << size;
  }
}

// Either something is decoded, or there is an error of its own.
TEST(DecodeTensor, DamagedFilesDoNoHarm) {
  std::uint64_t seed = 0;
  for (const std::string& file : some_files()) {
    // Most damage to numbers is not noticed, so the directory after them gets more of it.
    testing::Mutants mutants(file, ++seed);
    testing::Mutants of_directory(file.substr(file.size() - 200), seed);
    for (int i = 0; i < 150; ++i) {
      const std::string mutant =
          i % 3 == 0 ? mutants.next() : file.substr(0, file.size() - 200) + of_directory.next();
      EXPECT_EQ(testing::foreign_error([&] { numbers_of(mutant); }), "");
      EXPECT_EQ(testing::foreign_error([&] { pixels_of(mutant); }), "");
      EXPECT_EQ(testing::foreign_error([&] { pixels_of(mutant, {.ids = true}); }), "");
    }
  }
}

}  // namespace decode_tensor_test
}  // namespace sluice
