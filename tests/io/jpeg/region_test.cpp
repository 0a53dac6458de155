#include "tests/io/images.h"
#include "tests/io/reference_jpeg.h"
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>

#include <algorithm>
#include <climits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace region_test {

void expect_cut(std::span<const std::uint8_t> file, const Image& whole, const Rectangle& w,
                const JpegOptions& options) {
  Image part;
  decode_jpeg_region(file, w, options, part);
  ASSERT_TRUE(part == whole.crop_view(w.y, w.x, w.height, w.width))
      << w.height << " x " << w.width << " at (" << w.y << ", " << w.x << ") of " << whole.height()
      << " x " << whole.width();
}

std::string reason(std::span<const std::uint8_t> file, const Rectangle& w,
                   const JpegOptions& options = {}) {
  Image image = filled(3, 3, 3, 1);
  try {
    decode_jpeg_region(file, w, options, image);
  } catch (const JpegError& error) {
    EXPECT_TRUE(image.empty());
    return error.what();
  }
  return "no error";
}

constexpr Subsampling kSamplings[] = {Subsampling::s444, Subsampling::s422, Subsampling::s420,
                                      Subsampling::s440};

TEST(JpegRegion, RandomRegionsEqualCuts) {
  Random random({.seed = 23});
  const auto below = [&](int n) {
    return static_cast<int>(random.below(static_cast<unsigned>(n)));
  };
  const int sizes[][2] = {{9, 9}, {33, 47}, {64, 64}, {119, 83}};
  for (const auto& size : sizes) {
    for (const int channels : {1, 3}) {
      for (const Subsampling s : kSamplings) {
        for (int kind = 0; kind < 4; ++kind) {
          const Bytes file = encode_jpeg(
              draw_image(size[0], size[1], channels),
              {.subsampling = s, .progressive = kind % 2 == 1, .restart_rows = kind / 2});
          const ColorSpace color = below(4) == 0 ? ColorSpace::gray : ColorSpace::rgb;
          const Image whole =
              reference_decode(file, color == ColorSpace::gray ? JCS_GRAYSCALE : JCS_RGB);
          for (int i = 0; i < 40; ++i) {
            Rectangle w;
            w.height = 1 + below(size[0]);
            w.width = 1 + below(i % 2 == 0 ? size[1] : 5);
            w.y = below(size[0] - w.height + 1);
            w.x = below(size[1] - w.width + 1);
            JpegOptions options;
            options.color = color;
            options.verify = i % 3 == 0;
            ASSERT_NO_FATAL_FAILURE(expect_cut(file, whole, w, options));
          }
        }
      }
    }
  }
}

// Every region of one, two and three columns: the library upsamples such narrow strips differently
// unless more is requested.
TEST(JpegRegion, NarrowStripsEqualCuts) {
  for (const Subsampling s : kSamplings) {
    for (const int width : {4, 5, 9, 16, 17, 35}) {
      const Bytes file = encode_jpeg(draw_image(20, width, 3), {.subsampling = s});
      const Image whole = reference_decode(file);
      for (int w = 1; w <= 3; ++w) {
        for (int x = 0; x + w <= width; ++x) {
          ASSERT_NO_FATAL_FAILURE(expect_cut(file, whole, {0, x, 20, w}, {}));
          ASSERT_NO_FATAL_FAILURE(expect_cut(file, whole, {7, x, 6, w}, {}));
        }
      }
    }
  }
}

TEST(JpegRegion, RegionsCountInTheOrientedImage) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Bytes file = encode_jpeg(draw_image(45, 70, 3), {.orientation = orientation});
    Image whole;
    decode_jpeg_image(file, {}, whole);
    const int h = whole.height();
    const int w = whole.width();
    for (const Rectangle& region :
         {Rectangle{0, 0, h, w}, Rectangle{0, 0, 1, 1}, Rectangle{h - 1, w - 1, 1, 1},
          Rectangle{3, 5, 20, 30}, Rectangle{h - 20, 0, 20, w}}) {
      ASSERT_NO_FATAL_FAILURE(expect_cut(file, whole, region, {})) << orientation;
    }
  }
}

TEST(JpegRegion, FourComponentsEqualCuts) {
  const std::vector<std::uint8_t> file = reference_encode_cmyk(draw_image(50, 60, 4));
  Image whole;
  for (const ColorSpace color : {ColorSpace::rgb, ColorSpace::gray}) {
    JpegOptions options;
    options.color = color;
    decode_jpeg_image(file, options, whole);
    for (const Rectangle& w :
         {Rectangle{0, 0, 50, 60}, Rectangle{11, 13, 17, 19}, Rectangle{49, 59, 1, 1}}) {
      ASSERT_NO_FATAL_FAILURE(expect_cut(file, whole, w, options));
    }
  }
}

TEST(JpegRegion, RegionsOutsideAreErrorsWithNumbers) {
  const Bytes file = encode_jpeg(draw_image(30, 40, 3), {.orientation = 6});  // shown as 40 x 30
  EXPECT_EQ(reason(file, {0, 0, 40, 30}), "no error");
  const Rectangle bad[] = {
      {0, 0, 30, 40},
      {-1, 0, 5, 5},
      {0, -1, 5, 5},
      {0, 0, 0, 5},
      {0, 0, 5, 0},
      {0, 0, 5, -5},
      {36, 0, 5, 5},
      {0, 26, 5, 5},
      {INT_MAX, 0, INT_MAX, 5},
      {0, INT_MAX, 5, INT_MAX},
      {INT_MIN, 0, 5, 5},
  };
  for (const Rectangle& w : bad) {
    const std::string what = reason(file, w);
    EXPECT_NE(what.find("does not lie inside the image of 40 x 30"), std::string::npos) << what;
    EXPECT_NE(what.find(std::to_string(w.height) + " x " + std::to_string(w.width)),
              std::string::npos)
        << what;
  }
}

// Damage below the region is not seen, as documented, unless `verify` looks for it.
TEST(JpegRegion, VerifyReadsToTheEnd) {
  const Bytes file = encode_jpeg(draw_image(160, 160, 3));
  const std::span<const std::uint8_t> cut(file.data(), file.size() * 3 / 4);
  const Rectangle top{0, 10, 40, 50};
  JpegOptions options;
  ASSERT_NO_FATAL_FAILURE(expect_cut(cut, reference_decode(file), top, options));
  options.verify = true;
  EXPECT_NE(reason(cut, top, options).find("Premature end"), std::string::npos);
  options.damage = DamagePolicy::tolerant;
  Image out;
  const JpegReport report = decode_jpeg_region(cut, top, options, out);
  EXPECT_TRUE(report.damaged);
  EXPECT_TRUE(out == reference_decode(file).crop_view(0, 10, 40, 50));
  // The region's own rows are damaged.
  EXPECT_NE(reason(cut, {150, 0, 5, 5}), "no error");
}

// A progressive file that lacks its last passes is smoothed over block borders, far beyond one
// pixel.
TEST(JpegRegion, IncompleteProgressiveFilesEqualCuts) {
  const Bytes file = encode_jpeg(draw_image(96, 96, 3), {.progressive = true});
  std::vector<std::size_t> scans;
  for (std::size_t i = 0; i + 1 < file.size(); ++i) {
    if (file.data()[i] == 0xff && file.data()[i + 1] == 0xda) scans.push_back(i);
  }
  ASSERT_GT(scans.size(), 5u);
  for (const std::size_t kept : {1u, 2u, 4u}) {
    std::vector<std::uint8_t> cut(file.begin(), file.begin() + scans[kept]);
    cut.push_back(0xff);
    cut.push_back(0xd9);
    const Image whole = reference_decode(cut);
    for (const Rectangle& w :
         {Rectangle{0, 0, 96, 96}, Rectangle{30, 41, 20, 9}, Rectangle{80, 3, 16, 60}}) {
      ASSERT_NO_FATAL_FAILURE(expect_cut(cut, whole, w, {}));
    }
  }
}

TEST(JpegRegion, TolerantRegionsOfCutFilesEqualCuts) {
  for (const Subsampling s : kSamplings) {
    const Bytes file = encode_jpeg(draw_image(120, 90, 3), {.subsampling = s});
    JpegOptions options;
    options.damage = DamagePolicy::tolerant;
    for (const std::size_t percent : {30u, 50u, 75u, 95u}) {
      const std::span<const std::uint8_t> cut(file.data(), file.size() * percent / 100);
      const Image whole = reference_decode(cut);
      for (const Rectangle& w :
           {Rectangle{0, 0, 60, 40}, Rectangle{50, 20, 60, 50}, Rectangle{100, 7, 20, 9}}) {
        ASSERT_NO_FATAL_FAILURE(expect_cut(cut, whole, w, options)) << percent;
      }
    }
  }
}

}  // namespace region_test
}  // namespace sluice
