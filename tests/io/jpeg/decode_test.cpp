#include "tests/io/images.h"
#include "tests/io/reference_jpeg.h"
#include "tests/tried.h"
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/orientation.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace decode_test {

constexpr Subsampling kSamplings[] = {Subsampling::s444, Subsampling::s422, Subsampling::s420,
                                      Subsampling::s440};

std::string reason(std::span<const std::uint8_t> file, const JpegOptions& options = {}) {
  Image image = filled(3, 3, 3, 1);
  try {
    decode_jpeg_image(file, options, image);
  } catch (const JpegError& error) {
    EXPECT_TRUE(image.empty());
    return error.what();
  }
  return "no error";
}

JpegOptions tolerant() {
  JpegOptions options;
  options.damage = DamagePolicy::tolerant;
  return options;
}

TEST(JpegDecode, EqualsThePlainestUseOfTheLibrary) {
  const int sizes[][2] = {{1, 1}, {1, 40}, {40, 1}, {8, 8}, {17, 23}, {64, 48}, {75, 111}};
  for (const auto& size : sizes) {
    for (const int channels : {1, 3}) {
      const Image image = draw_image(size[0], size[1], channels);
      for (const Subsampling s : kSamplings) {
        for (const bool progressive : {false, true}) {
          for (const int restart_rows : {0, 1}) {
            const Bytes file = encode_jpeg(
                image,
                {.subsampling = s, .progressive = progressive, .restart_rows = restart_rows});
            JpegOptions options;
            Image out;
            const JpegReport report = decode_jpeg_image(file, options, out);
            EXPECT_FALSE(report.damaged);
            EXPECT_EQ(report.warning, "");
            ASSERT_TRUE(out == reference_decode(file, JCS_RGB));
            options.color = ColorSpace::gray;
            decode_jpeg_image(file, options, out);
            ASSERT_TRUE(out == reference_decode(file, JCS_GRAYSCALE));
          }
        }
      }
    }
  }
}

TEST(JpegDecode, AppliesTheOrientationUnlessToldNotTo) {
  for (const int channels : {1, 3}) {
    for (int orientation = 1; orientation <= 8; ++orientation) {
      const Bytes file = encode_jpeg(draw_image(33, 50, channels), {.orientation = orientation});
      const Image stored = reference_decode(file);
      Image turned;
      orient(stored, orientation, turned);
      Image out;
      JpegOptions options;
      decode_jpeg_image(file, options, out);
      EXPECT_TRUE(out == turned) << orientation;
      options.apply_orientation = false;
      decode_jpeg_image(file, options, out);
      EXPECT_TRUE(out == stored) << orientation;
    }
  }
}

// Flat blocks of 8 x 8 pixels come back exactly, so that the formula can be checked.
TEST(JpegDecode, FourComponentsAreInvertedCmyk) {
  Random random({.seed = 5});
  Image cmyk(32, 40, 4);
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 40; ++x) {
      for (int c = 0; c < 4; ++c) {
        cmyk.row(y)[x * 4 + c] = y % 8 != 0   ? cmyk.at(y - 1, x, c)
                                 : x % 8 != 0 ? cmyk.at(y, x - 1, c)
                                              : static_cast<std::uint8_t>(random.below(256));
      }
    }
  }
  const std::vector<std::uint8_t> file = reference_encode_cmyk(cmyk);
  JpegOptions options;
  Image rgb;
  Image gray;
  decode_jpeg_image(file, options, rgb);
  options.color = ColorSpace::gray;
  decode_jpeg_image(file, options, gray);
  ASSERT_EQ(rgb.channels(), 3);
  ASSERT_EQ(gray.channels(), 1);
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 40; ++x) {
      double luma = 0;
      for (int c = 0; c < 3; ++c) {
        const double exact = cmyk.at(y, x, c) * cmyk.at(y, x, 3) / 255.0;
        ASSERT_EQ(rgb.at(y, x, c), std::lround(exact));
        luma += rgb.at(y, x, c) * (c == 0 ? 0.299 : c == 1 ? 0.587 : 0.114);
      }
      ASSERT_NEAR(gray.at(y, x, 0), luma, 0.51);
    }
  }
}

TEST(JpegDecode, CutFilesFollowThePolicy) {
  const Image image = draw_image(120, 160, 3);
  for (const bool progressive : {false, true}) {
    const Bytes file = encode_jpeg(image, {.progressive = progressive});
    const Image whole = reference_decode(file);
    int rows_before = 0;
    for (int percent = 5; percent < 100; percent += 5) {
      SCOPED_TRACE(percent);
      const std::span<const std::uint8_t> cut(
          file.data(), file.size() * static_cast<std::size_t>(percent) / 100);
      const std::string what = reason(cut);
      EXPECT_NE(what.find("Premature end of JPEG file"), std::string::npos) << what;
      Image out = filled(120, 160, 3, 255);
      JpegReport report;
      try {
        report = decode_jpeg_image(cut, tolerant(), out);
      } catch (const JpegError& error) {
        // Damage within the header leaves nothing to keep.
        EXPECT_LE(percent, 10) << error.what();
        continue;
      }
      EXPECT_TRUE(report.damaged);
      EXPECT_NE(report.warning, "");
      EXPECT_TRUE(out == reference_decode(cut));
      int rows = 0;
      while (rows < 120 && std::equal(out.row(rows), out.row(rows) + 480, whole.row(rows))) ++rows;
      if (progressive) continue;
      EXPECT_GE(rows, rows_before);
      EXPECT_GE(rows, 120 * percent / 100 - 40);
      rows_before = rows;
    }
  }
}

TEST(JpegDecode, DamageIsSaidWithItsPlace) {
  const Bytes file = encode_jpeg(draw_image(160, 64, 3), {.subsampling = Subsampling::s444});
  const std::span<const std::uint8_t> cut(file.data(), file.size() / 2);
  const std::string what = reason(cut);
  EXPECT_NE(what.find("damaged: "), std::string::npos) << what;
  EXPECT_NE(what.find(" of 160"), std::string::npos) << what;
  EXPECT_NE(what.find("tolerant"), std::string::npos) << what;
}

// A missing end marker is all that is wrong: the pixels are whole, and still it is not called so.
TEST(JpegDecode, MissingEndMarkerCountsAsDamage) {
  const Bytes file = encode_jpeg(draw_image(40, 40, 3));
  const std::span<const std::uint8_t> cut(file.data(), file.size() - 2);
  Image out;
  EXPECT_TRUE(decode_jpeg_image(cut, tolerant(), out).damaged);
  EXPECT_TRUE(out == reference_decode(file));
  EXPECT_NE(reason(cut), "no error");
}

// Unexpected bytes behind a complete image.
TEST(JpegDecode, BytesBehindTheEndAreNoDamage) {
  const Bytes file = encode_jpeg(draw_image(40, 40, 3));
  std::vector<std::uint8_t> longer(file.begin(), file.end());
  longer.insert(longer.end(), 1000, 0x5a);
  EXPECT_EQ(reason(longer), "no error");
}

// The previous image was white. The missing part of a cut file must not show it.
TEST(JpegDecode, RecycledMemoryShowsNoFormerImage) {
  const Bytes dark = encode_jpeg(filled(200, 200, 3, 10), {.subsampling = Subsampling::s444});
  const Bytes bright = encode_jpeg(filled(200, 200, 3, 255));
  for (std::size_t percent = 1; percent < 100; ++percent) {
    testing::tried("stale-pixels");
    Image out;
    decode_jpeg_image(bright, {}, out);
    ASSERT_EQ(out.at(199, 199, 0), 255);
    const std::span<const std::uint8_t> cut(dark.data(), dark.size() * percent / 100);
    try {
      decode_jpeg_image(cut, tolerant(), out);
    } catch (const JpegError&) {
      EXPECT_TRUE(out.empty());
      continue;
    }
    for (int y = 0; y < 200; ++y) {
      for (int i = 0; i < 600; ++i) ASSERT_LE(out.row(y)[i], 140);
    }
  }
}

TEST(JpegDecode, WorksAfterAnError) {
  const Bytes good = encode_jpeg(draw_image(60, 60, 3));
  const Bytes progressive = encode_jpeg(draw_image(60, 60, 1), {.progressive = true});
  const Image expected = reference_decode(good);
  const std::vector<std::uint8_t> text{'t', 'e', 'x', 't'};
  const std::span<const std::uint8_t> bad[] = {{good.data(), good.size() / 2},
                                               {good.data(), 100},
                                               text,
                                               {progressive.data(), progressive.size() / 2}};
  Image out;
  for (int round = 0; round < 20; ++round) {
    for (const auto& file : bad) {
      EXPECT_NE(reason(file), "no error");
      decode_jpeg_image(good, {}, out);
      ASSERT_TRUE(out == expected);
    }
  }
}

// Turns the segments of a kind into comments.
std::vector<std::uint8_t> without(const Bytes& file, std::uint8_t marker) {
  std::vector<std::uint8_t> changed(file.begin(), file.end());
  for (std::size_t i = 0; i + 1 < changed.size(); ++i) {
    if (changed[i] == 0xff && changed[i + 1] == marker) changed[i + 1] = 0xfe;
  }
  return changed;
}

// libjpeg keeps tables from one image to the next. A file that lacks its own must not find them.
TEST(JpegDecode, NoTableOutlivesItsImage) {
  const Image image = draw_image(60, 60, 3);
  const Bytes former = encode_jpeg(draw_image(60, 60, 3, 2), {.quality = 30, .optimize = true});
  const Bytes file = encode_jpeg(image);
  const std::vector<std::uint8_t> no_quantization = without(file, 0xdb);
  const std::vector<std::uint8_t> no_huffman = without(file, 0xc4);  // then the standard ones
  Image out;
  for (int round = 0; round < 3; ++round) {
    decode_jpeg_image(former, {}, out);
    EXPECT_NE(reason(no_quantization).find("uantization table"), std::string::npos);
    decode_jpeg_image(former, {}, out);
    decode_jpeg_image(no_huffman, {}, out);
    EXPECT_TRUE(out == reference_decode(file));
  }
}

TEST(JpegDecode, LimitsAreCheckedWithNumbers) {
  const Bytes plain = encode_jpeg(draw_image(100, 200, 3));
  const Bytes progressive =
      encode_jpeg(draw_image(104, 200, 1), {.progressive = true});  // whole blocks
  JpegOptions options;
  options.max_output_bytes = 60000;
  EXPECT_EQ(reason(plain, options), "no error");
  options.max_output_bytes = 59999;
  EXPECT_NE(reason(plain, options).find("200 x 100 pixels need 60000 bytes"), std::string::npos)
      << reason(plain, options);
  EXPECT_NE(reason(plain, options).find("max_output_bytes"), std::string::npos);
  options.color = ColorSpace::gray;
  EXPECT_EQ(reason(plain, options), "no error");
  // The coefficients take two bytes a pixel, the pixels one.
  options.max_output_bytes = 2 * 104 * 200;
  EXPECT_EQ(reason(progressive, options), "no error");
  options.max_output_bytes -= 1;
  EXPECT_NE(reason(progressive, options).find("41600 bytes for the passes"), std::string::npos)
      << reason(progressive, options);
  options = {};
  options.max_scans = 2;
  EXPECT_NE(reason(progressive, options).find("more than 2 scans"), std::string::npos);
  EXPECT_EQ(reason(plain, options), "no error");
}

// Sizes that a few bytes claim: the limit is checked before memory is allocated.
TEST(JpegDecode, HugeClaimsAreRefused) {
  for (const bool progressive : {false, true}) {
    const Bytes file = encode_jpeg(draw_image(16, 16, 3), {.progressive = progressive});
    std::vector<std::uint8_t> bomb(file.begin(), file.end());
    const std::uint8_t frame[] = {0xff, static_cast<std::uint8_t>(progressive ? 0xc2 : 0xc0)};
    const auto found = std::search(bomb.begin(), bomb.end(), std::begin(frame), std::end(frame));
    ASSERT_NE(found, bomb.end());
    for (const int i : {5, 7}) {  // 65500 = 0xffdc
      found[i] = 0xff;
      found[i + 1] = 0xdc;
    }
    const std::string what = reason(bomb);
    EXPECT_NE(what.find("65500 x 65500 pixels need 12.9 GB"), std::string::npos) << what;
    found[6] = 0xff;
    EXPECT_NE(reason(bomb).find("cannot be decoded"), std::string::npos) << reason(bomb);
  }
}

TEST(JpegDecode, DamagedBytesEndInAnImageOrAReason) {
  const Bytes sources[] = {
      encode_jpeg(draw_image(40, 56, 3)),
      encode_jpeg(draw_image(40, 56, 3), {.progressive = true}),
      encode_jpeg(draw_image(40, 56, 1), {.restart_rows = 1}),
  };
  Random random({.seed = 17});
  int refused = 0;
  int kept = 0;
  for (int i = 0; i < 3000; ++i) {
    const Bytes& source = sources[i % 3];
    std::vector<std::uint8_t> file(source.begin(), source.end());
    const std::uint32_t range = i % 2 == 0 ? 700 : static_cast<std::uint32_t>(file.size());
    for (int k = 0; k < 3; ++k) {
      file[2 + random.below(range - 2)] = static_cast<std::uint8_t>(random.below(256));
    }
    JpegOptions options = tolerant();
    options.max_output_bytes = 1 << 24;
    Image out;
    try {
      const JpegReport report = decode_jpeg_image(file, options, out);
      EXPECT_EQ(report.damaged, !report.warning.empty());
      EXPECT_EQ(out.channels(), 3);
      ++kept;
    } catch (const JpegError& error) {
      EXPECT_STRNE(error.what(), "");
      EXPECT_TRUE(out.empty());
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(kept, 100);
}

TEST(JpegDecode, ThreadsDoNotDisturbEachOther) {
  std::vector<Bytes> files;
  std::vector<Image> expected;
  for (int i = 0; i < 8; ++i) {
    files.push_back(encode_jpeg(draw_image(50 + i, 70 - i, 3, static_cast<std::uint64_t>(i)),
                                {.progressive = i % 2 == 1}));
    expected.push_back(reference_decode(files.back()));
  }
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Image out;
      for (std::size_t i = 0; i < 200; ++i) {
        const std::size_t k = (i * (t + 1)) % files.size();
        decode_jpeg_image(files[k], {}, out);
        if (!(out == expected[k])) ++wrong;
        try {
          decode_jpeg_image({files[k].data(), files[k].size() / 2}, {}, out);
          ++wrong;
        } catch (const JpegError&) {
          if (!out.empty()) ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace decode_test
}  // namespace sluice
