// JpegPixels: the inner loops against plain formulas, on all instruction sets, and whole images and
// regions against libjpeg.

#include "tests/every_target.h"
#include "tests/io/decode_outcome.h"
#include "tests/io/images.h"
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/decompressor.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/pixel_math.h>
#include <sluice/io/jpeg/pixels.h>
#include <sluice/io/jpeg/self_test.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace jpeg_pixels_test {

using Row = std::vector<std::uint8_t>;

// A row with room around it, as the inner loops need.
class PaddedRow {
 public:
  explicit PaddedRow(std::size_t count, std::uint8_t fill = 0)
      : bytes_(count + 3 * kJpegRowSlack, fill) {}
  PaddedRow(std::size_t count, Random& random) : PaddedRow(count) {
    for (auto& byte : bytes_) byte = static_cast<std::uint8_t>(random.below(256));
  }
  std::uint8_t* data() { return bytes_.data() + kJpegRowSlack; }
  std::uint8_t operator[](std::size_t i) const { return bytes_[kJpegRowSlack + i]; }

 private:
  Row bytes_;
};

struct BlockCase {
  const char* name;
  int coefficients;  // at most, in zigzag order from DC on
  int largest;
  int quantizer;  // at most
};
const BlockCase kBlockCases[] = {
    {"photograph", 20, 60, 40},
    {"DC alone", 1, 1000, 16},
    {"first row", 0, 300, 30},
    {"dense", 64, 200, 99},
    {"16 bits", 64, 32767, 1},
    {"16 bits, DC alone", 1, 32767, 1},
    {"16 bits, wide tables", 64, 32767, 65535},
    {"first row, wrapping", 0, 32767, 255},
};

using Block = std::array<std::int16_t, 64>;

Block random_block(const BlockCase& of, Random& random) {
  Block block{};
  const auto value = [&] {
    const int most = of.largest;
    return static_cast<std::int16_t>(
        static_cast<int>(random.below(static_cast<std::uint32_t>(2 * most + 1))) - most);
  };
  // 0 stands for the first row.
  for (std::size_t i = 0; i < 8 && of.coefficients == 0; ++i) block[i] = value();
  for (int k = 0; k < of.coefficients; ++k)
    if (k == 0 || random.below(3) > 0)
      block[static_cast<std::size_t>(random.below(static_cast<std::uint32_t>(of.coefficients)))] =
          value();
  return block;
}

// Returns the samples of a block, row by row.
Row plain_inverse_dct(const Block& block, const std::int16_t* quantizers) {
  std::int32_t work[8][8];
  const bool shortcut = std::all_of(block.begin() + 8, block.end(), [](int v) { return v == 0; });
  for (std::size_t x = 0; x < 8; ++x) {
    std::int32_t in[8], out[8];
    for (std::size_t y = 0; y < 8; ++y)
      in[y] = wrap_to_16(static_cast<std::uint32_t>(block[8 * y + x]) *
                         static_cast<std::uint16_t>(quantizers[8 * y + x]));
    inverse_dct_8<11>(in, out);
    for (std::size_t y = 0; y < 8; ++y)
      work[y][x] = shortcut ? wrap_to_16(static_cast<std::uint32_t>(in[0]) << 2)
                            : clamp_to(out[y], -32768, 32767);
  }
  Row samples;
  for (const auto& row : work) {
    std::int32_t out[8];
    inverse_dct_8<18>(row, out);
    for (const std::int32_t value : out) samples.push_back(to_sample(value + 128));
  }
  return samples;
}

TEST(JpegPixelKernels, InverseDctEqualsThePlainOne) {
  for (const BlockCase& of : kBlockCases) {
    SCOPED_TRACE(of.name);
    Random random({.seed = 5});
    for (const std::size_t count : {std::size_t{4}, std::size_t{8}, std::size_t{100}}) {
      alignas(64) std::int16_t quantizers[64];
      for (auto& q : quantizers)
        q = static_cast<std::int16_t>(1 + random.below(static_cast<std::uint32_t>(of.quantizer)));
      std::vector<Block> blocks(count);
      for (Block& block : blocks) block = random_block(of, random);
      // Some blocks of a vector take libjpeg-turbo's shortcut, the others do not.
      for (std::size_t i = 0; i < count; i += 3) blocks[i] = random_block(kBlockCases[1], random);
      Row expected(count * 64);
      for (std::size_t i = 0; i < count; ++i) {
        const Row block = plain_inverse_dct(blocks[i], quantizers);
        for (std::size_t y = 0; y < 8; ++y)
          std::copy_n(block.begin() + static_cast<std::ptrdiff_t>(8 * y), 8,
                      expected.begin() + static_cast<std::ptrdiff_t>(y * count * 8 + 8 * i));
      }
      testing::on_every_target([&] {
        Row out(count * 64);
        inverse_dct(reinterpret_cast<const std::int16_t(*)[64]>(blocks.data()),
                    static_cast<int>(count), quantizers, out.data(),
                    static_cast<std::ptrdiff_t>(count * 8));
        EXPECT_EQ(out, expected);
      });
    }
  }
}

TEST(JpegPixelKernels, UpsamplingEqualsThePlainOne) {
  Random random({.seed = 6});
  for (std::size_t count = 1; count < 80; count += count < 40 ? 1 : 7) {
    PaddedRow near(count, random), far(count, random);
    Row across, both;
    for (std::size_t x = 0; x < count; ++x) {
      const auto column = [&](std::size_t at) { return 3 * near[at] + far[at]; };
      for (const int second : {0, 1}) {
        const std::size_t next = second == 0 ? x - 1 : x + 1;
        across.push_back(static_cast<std::uint8_t>(stretch_one_way(near[x], near[next], second)));
        both.push_back(
            static_cast<std::uint8_t>(stretch_both_ways(column(x), column(next), second)));
      }
    }
    testing::on_every_target([&] {
      PaddedRow out(2 * count);
      stretch_across(near.data(), count, out.data());
      EXPECT_EQ(Row(out.data(), out.data() + 2 * count), across);
      stretch_both(near.data(), far.data(), count, out.data());
      EXPECT_EQ(Row(out.data(), out.data() + 2 * count), both);
    });
  }
}

TEST(JpegPixelKernels, ColorsEqualThePlainOnes) {
  // All pairs of chroma values, with every 16th luma value and the neighbors of the last one.
  for (const int luma : {0, 15, 31, 63, 100, 128, 200, 240, 254, 255}) {
    const std::size_t count = 65536;
    PaddedRow y(count, static_cast<std::uint8_t>(luma)), blue(count), red(count);
    Row expected(3 * count);
    for (std::size_t i = 0; i < count; ++i) {
      blue.data()[i] = static_cast<std::uint8_t>(i);
      red.data()[i] = static_cast<std::uint8_t>(i >> 8);
      write_jpeg_color(luma, blue[i], red[i], expected.data() + 3 * i);
    }
    testing::on_every_target([&] {
      Row out(3 * count);
      write_rgb(y.data(), blue.data(), red.data(), count, out.data());
      EXPECT_EQ(out, expected);
    });
  }
}

TEST(JpegPixelKernels, NothingIsWrittenBehindThePixels) {
  Random random({.seed = 7});
  for (std::size_t count = 1; count < 150; ++count) {
    PaddedRow y(count, random), blue(count, random), red(count, random);
    Row color, gray;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint8_t pixel[3];
      write_jpeg_color(y[i], blue[i], red[i], pixel);
      color.insert(color.end(), pixel, pixel + 3);
      gray.insert(gray.end(), 3, y[i]);
    }
    color.push_back(77);
    gray.push_back(77);
    testing::on_every_target([&] {
      Row out(3 * count + 1, 77);
      write_rgb(y.data(), blue.data(), red.data(), count, out.data());
      EXPECT_EQ(out, color);
      write_gray_as_rgb(y.data(), count, out.data());
      EXPECT_EQ(out, gray);
    });
  }
}

bool is_taken(const Bytes& file, const JpegOptions& options, int shrink) {
  JpegDecompressor decompressor;
  decompressor.open(file, options);
  decompressor.info().out_color_space = options.color == ColorSpace::gray ? JCS_GRAYSCALE : JCS_RGB;
  decompressor.info().scale_denom = static_cast<unsigned>(shrink);
  decompressor.start();
  return JpegPixels::takes(decompressor.info());
}

TEST(JpegPixels, TakesTheUsualImages) {
  const Image color = draw_image(40, 50, 3), gray = draw_image(40, 50, 1);
  const Image narrow = draw_image(40, 4, 3);
  struct Case {
    const char* name;
    const Image* image;
    Subsampling subsampling;
    int shrink;
    bool taken;
  };
  const Case cases[] = {
      {"one channel", &gray, Subsampling::s444, 1, true},
      {"4:4:4", &color, Subsampling::s444, 1, true},
      {"4:2:2", &color, Subsampling::s422, 1, true},
      {"4:2:0", &color, Subsampling::s420, 1, true},
      {"4:4:0", &color, Subsampling::s440, 1, false},
      {"too narrow for fancy upsampling", &narrow, Subsampling::s420, 1, false},
      {"narrow, without upsampling", &narrow, Subsampling::s444, 1, true},
      {"shrunk", &color, Subsampling::s420, 2, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Bytes file = encode_jpeg(*c.image, {.subsampling = c.subsampling});
    for (const ColorSpace space : {ColorSpace::rgb, ColorSpace::gray})
      EXPECT_EQ(is_taken(file, {.color = space}, c.shrink), c.taken);
  }
}

struct ImageCase {
  int channels;
  Subsampling subsampling;
};

class JpegPixelImages : public ::testing::TestWithParam<ImageCase> {
 protected:
  void SetUp() override {
    if (!jpeg_pixels_are_usable()) GTEST_SKIP() << "not in use with this libjpeg";
  }
};

TEST_P(JpegPixelImages, EqualThoseOfLibjpeg) {
  Random random({.seed = 8});
  for (const int height : {1, 2, 7, 8, 9, 16, 17, 33}) {
    for (const int width : {1, 3, 5, 6, 8, 15, 16, 17, 33, 64, 65, 131}) {
      const Image image = draw_image(height, width, GetParam().channels);
      const Bytes file = encode_jpeg(image, {.quality = 95, .subsampling = GetParam().subsampling});
      for (const ColorSpace color : {ColorSpace::rgb, ColorSpace::gray}) {
        const JpegOptions options{.color = color};
        EXPECT_TRUE(
            outcome_of(file, {}, options, kFast).same_as(outcome_of(file, {}, options, kLibrary)))
            << height << " x " << width;
        for (int i = 0; i < 6; ++i) {
          const Rectangle region = any_region(random, height, width, i % 2 == 0);
          EXPECT_TRUE(outcome_of(file, region, options, kFast)
                          .same_as(outcome_of(file, region, options, kLibrary)))
              << height << " x " << width << ": " << region.height << " x " << region.width
              << " at (" << region.y << ", " << region.x << ")";
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, JpegPixelImages,
                         ::testing::Values(ImageCase{1, Subsampling::s444},
                                           ImageCase{3, Subsampling::s444},
                                           ImageCase{3, Subsampling::s422},
                                           ImageCase{3, Subsampling::s420},
                                           ImageCase{3, Subsampling::s440}));

// libjpeg warns about some bytes behind the scan.
TEST(JpegPixels, WhatFollowsTheScanIsReadAsByLibjpeg) {
  if (!jpeg_pixels_are_usable()) GTEST_SKIP() << "not in use with this libjpeg";
  const Bytes encoded = encode_jpeg(draw_image(40, 50, 3), {});
  const std::span<const std::uint8_t> all = encoded;
  const Row scan(all.begin(), all.end() - 2);
  const auto followed_by = [&](Row end) {
    Row file = scan;
    file.insert(file.end(), end.begin(), end.end());
    return Bytes::copy_of(file);
  };
  struct Case {
    const char* name;
    Row end;
    JpegPath path;
  };
  const Case cases[] = {
      {"the end", {0xff, 0xd9}, JpegPath::fast},
      {"the end, and other bytes", {0xff, 0xd9, 1, 2, 3}, JpegPath::fast},
      {"nothing", {}, JpegPath::fell_back},
      {"half a marker", {0xff}, JpegPath::fell_back},
      {"fill bytes", {0xff, 0xff, 0xd9}, JpegPath::fell_back},
      {"a comment", {0xff, 0xfe, 0, 3, 'x', 0xff, 0xd9}, JpegPath::fell_back},
      {"other bytes", {1, 2, 3, 0xff, 0xd9}, JpegPath::fell_back},
      {"another scan", {0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0xff, 0xd9}, JpegPath::fell_back},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Bytes file = followed_by(c.end);
    for (const DamagePolicy damage : {DamagePolicy::strict, DamagePolicy::tolerant}) {
      const JpegOptions options{.damage = damage};
      const DecodeOutcome fast = outcome_of(file, {}, options, kFast);
      const DecodeOutcome library = outcome_of(file, {}, options, kLibrary);
      EXPECT_TRUE(fast.same_as(library)) << fast << " instead of " << library;
      if (!fast.error.empty()) continue;
      EXPECT_EQ(fast.path, c.path);
    }
  }
}

}  // namespace jpeg_pixels_test
}  // namespace sluice
