// Shrinking while decoding: the pixels equal libjpeg's own scaled images, whole and in regions,
// with both entropy decoders and with an index.

#include "tests/io/corpus.h"
#include "tests/io/decode_outcome.h"
#include "tests/io/images.h"
#include "tests/io/reference_jpeg.h"
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/orientation.h>
#include <sluice/io/jpeg/self_test.h>
#include <sluice/runtime/random.h>

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace shrink_test {

constexpr int kShrinks[] = {2, 4, 8};

class JpegShrinkCorpus : public JpegCorpus {};

// A region of a shrunk image covers the fewest pixels of the whole that hold the region.
void expect_region(const DecodeOutcome& part, const Rectangle& w, const DecodeOutcome& whole,
                   int shrink) {
  ASSERT_EQ(part.error, "");
  const Rectangle& c = part.covered;
  ASSERT_EQ((c.y - whole.covered.y) % shrink, 0);
  ASSERT_EQ((c.x - whole.covered.x) % shrink, 0);
  ASSERT_EQ(c.height, part.image.height() * shrink);
  ASSERT_EQ(c.width, part.image.width() * shrink);
  ASSERT_TRUE(c.y <= w.y && c.y + shrink > w.y && c.x <= w.x && c.x + shrink > w.x);
  const int bottom = c.y + c.height - w.y - w.height;
  const int right = c.x + c.width - w.x - w.width;
  ASSERT_TRUE(bottom >= 0 && bottom < shrink && right >= 0 && right < shrink);
  ASSERT_TRUE(part.image == whole.image.crop_view((c.y - whole.covered.y) / shrink,
                                                  (c.x - whole.covered.x) / shrink,
                                                  part.image.height(), part.image.width()));
}

// A file at one scale: whole, against libjpeg and with both entropy decoders, and some regions,
// with an index, too. Whether it could be decoded.
bool check_file(std::span<const std::uint8_t> file, const JpegOptions& options, int shrink,
                std::uint64_t seed, int regions) {
  const DecodeOutcome whole = outcome_of(file, {}, options, kLibrary, nullptr, shrink);
  const auto index = JpegIndex::in_memory({.grain = 4});
  for (JpegIndex* const helper : {static_cast<JpegIndex*>(nullptr), index.get()}) {
    const DecodeOutcome fast = outcome_of(file, {}, options, kFast, helper, shrink);
    EXPECT_TRUE(fast.same_as(whole)) << fast << " instead of " << whole;
  }
  if (!whole.error.empty()) return false;

  const JpegHeader header = peek_jpeg(file);
  if (header.components != 4) {
    const bool gray = options.color == ColorSpace::gray;
    const Image stored =
        reference_decode(file, gray ? JCS_GRAYSCALE : JCS_RGB, static_cast<unsigned>(shrink));
    Image expected;
    orient(stored, options.apply_orientation ? header.orientation : 1, expected);
    EXPECT_TRUE(whole.image == expected);
  }
  Random random({.seed = seed});
  const bool turned = options.apply_orientation;
  for (int i = 0; i < regions; ++i) {
    const Rectangle w = any_region(random, turned ? header.oriented_height() : header.height,
                                   turned ? header.oriented_width() : header.width, i % 4 == 3);
    SCOPED_TRACE(::testing::Message() << w.height << " x " << w.width << " at (" << w.y << ", "
                                      << w.x << ") shrunk by " << shrink);
    expect_region(outcome_of(file, w, options, kLibrary, nullptr, shrink), w, whole, shrink);
    expect_region(outcome_of(file, w, options, kFast, nullptr, shrink), w, whole, shrink);
    expect_region(outcome_of(file, w, options, kFast, index.get(), shrink), w, whole, shrink);
  }
  return true;
}

TEST(JpegShrink, EqualsTheLibraryOnFilesOfAllKinds) {
  const int sizes[][2] = {{1, 1}, {7, 9}, {17, 16}, {33, 47}, {64, 129}, {131, 90}};
  std::uint64_t seed = 0;
  for (const auto& size : sizes) {
    for (const int channels : {1, 3}) {
      for (const Subsampling s :
           {Subsampling::s444, Subsampling::s422, Subsampling::s420, Subsampling::s440}) {
        for (int kind = 0; kind < 4; ++kind) {
          ++seed;
          const Bytes file = encode_jpeg(draw_image(size[0], size[1], channels, seed),
                                         {.subsampling = s,
                                          .progressive = kind % 2 == 1,
                                          .orientation = static_cast<int>(seed % 8) + 1,
                                          .restart_rows = kind / 2});
          JpegOptions options;
          if (seed % 3 == 0) options.color = ColorSpace::gray;
          if (seed % 5 == 0) options.apply_orientation = false;
          options.verify = seed % 2 == 0;
          for (const int shrink : kShrinks) {
            EXPECT_TRUE(check_file(file, options, shrink, seed, 12));
          }
        }
      }
    }
  }
}

// As with full images, narrow strips must be taken out of wider ones.
TEST(JpegShrink, NarrowStripsEqualCuts) {
  for (const Subsampling s : {Subsampling::s444, Subsampling::s422, Subsampling::s420}) {
    for (const int width : {17, 31, 64, 75}) {
      const Bytes file = encode_jpeg(draw_image(40, width, 3), {.subsampling = s});
      for (const int shrink : kShrinks) {
        const DecodeOutcome whole = outcome_of(file, {}, {}, kLibrary, nullptr, shrink);
        for (int x = 0; x < width; ++x) {
          const Rectangle w{13, x, 14, 1};
          ASSERT_NO_FATAL_FAILURE(
              expect_region(outcome_of(file, w, {}, kFast, nullptr, shrink), w, whole, shrink));
        }
      }
    }
  }
}

TEST(JpegShrink, FourComponentsEqualCuts) {
  const std::vector<std::uint8_t> file = reference_encode_cmyk(draw_image(50, 60, 4));
  for (const ColorSpace color : {ColorSpace::rgb, ColorSpace::gray}) {
    JpegOptions options;
    options.color = color;
    for (const int shrink : kShrinks) EXPECT_TRUE(check_file(file, options, shrink, 1, 20));
  }
}

// 45 x 70 pixels are 12 x 18 of 4 x 4, with 3 rows and 2 columns too many at the stored image's
// lower and right edge.
TEST(JpegShrink, TheGridIsThatOfTheStoredImage) {
  const Rectangle expected[] = {{0, 0, 48, 72}, {0, -2, 48, 72}, {-3, -2, 48, 72}, {-3, 0, 48, 72},
                                {0, 0, 72, 48}, {0, -3, 72, 48}, {-2, -3, 72, 48}, {-2, 0, 72, 48}};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Bytes file = encode_jpeg(draw_image(45, 70, 3), {.orientation = orientation});
    const DecodeOutcome whole = outcome_of(file, {}, {}, kFast, nullptr, 4);
    EXPECT_EQ(whole.covered, expected[orientation - 1]) << orientation;
    EXPECT_EQ(whole.image.height() * 4, whole.covered.height) << orientation;
  }
}

TEST(JpegShrink, ByOneIsTheFullImage) {
  const Bytes file = encode_jpeg(draw_image(30, 40, 3), {.orientation = 6});
  const Rectangle w{3, 5, 20, 11};
  Image full;
  Image shrunk;
  EXPECT_EQ(decode_jpeg_region(file, w, {}, full).covered, w);
  EXPECT_EQ(decode_jpeg_shrunk(file, w, 1, {}, shrunk).covered, w);
  EXPECT_TRUE(full == shrunk);
  EXPECT_EQ(decode_jpeg_image(file, {}, full).covered, (Rectangle{0, 0, 40, 30}));
}

TEST(JpegShrink, RefusesOtherScalesAndRegionsOutside) {
  const Bytes file = encode_jpeg(draw_image(30, 40, 3));
  const auto reason = [&](const Rectangle& w, int shrink) -> std::string {
    Image image = filled(3, 3, 3, 1);
    try {
      decode_jpeg_shrunk(file, w, shrink, {}, image);
    } catch (const JpegError& error) {
      EXPECT_TRUE(image.empty());
      return error.what();
    }
    return "no error";
  };
  for (const int shrink : {-2, 0, 3, 16}) {
    EXPECT_EQ(reason({0, 0, 5, 5}, shrink),
              "cannot be shrunk by " + std::to_string(shrink) + "; use 1, 2, 4 or 8");
  }
  EXPECT_NE(reason({28, 0, 4, 4}, 4).find("does not lie inside the image of 30 x 40"),
            std::string::npos);
}

TEST(JpegShrink, TolerantRegionsOfCutFilesEqualCuts) {
  for (const Subsampling s : {Subsampling::s444, Subsampling::s422, Subsampling::s420}) {
    const Bytes file = encode_jpeg(draw_image(120, 90, 3), {.subsampling = s});
    JpegOptions options;
    options.damage = DamagePolicy::tolerant;
    for (const std::size_t percent : {30u, 75u, 95u}) {
      const std::span<const std::uint8_t> cut(file.data(), file.size() * percent / 100);
      for (const int shrink : kShrinks) {
        EXPECT_TRUE(check_file(cut, options, shrink, percent, 8)) << percent;
      }
    }
  }
}

TEST(JpegShrink, LeavesAnIndexThatServesFullRegions) {
  if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "not in use with this libjpeg";
  const Bytes file = encode_jpeg(draw_image(100, 90, 3));
  const auto index = JpegIndex::in_memory();
  Image image;
  EXPECT_EQ(decode_jpeg_shrunk(file, {}, 8, {}, image, index.get()).path, JpegPath::fast);
  const Rectangle w{50, 40, 20, 30};
  const DecodeOutcome part = outcome_of(file, w, {}, kFast, index.get());
  EXPECT_EQ(part.path, JpegPath::indexed);
  EXPECT_TRUE(part.image == reference_decode(file).crop_view(50, 40, 20, 30));
  EXPECT_EQ(decode_jpeg_shrunk(file, w, 2, {}, image, index.get()).path, JpegPath::indexed);
}

TEST_F(JpegShrinkCorpus, EveryFileEqualsTheLibrary) {
  std::uint64_t seed = 0;
  int decoded = 0;
  for (const Entry& entry : entries_) {
    if (entry.at("class").starts_with("bad/limit")) continue;
    SCOPED_TRACE(entry.at("path"));
    const File file = read(entry);
    JpegOptions options;
    for (const int shrink : kShrinks) {
      decoded += check_file(file, options, shrink, ++seed, 4) ? 1 : 0;
    }
    options.damage = DamagePolicy::tolerant;
    options.apply_orientation = false;
    ++seed;
    check_file(file, options, kShrinks[seed % 3], seed, 0);
  }
  EXPECT_GT(decoded, 2000 / part());
}

TEST_F(JpegShrinkCorpus, EveryPhotographEqualsTheLibrary) {
  std::uint64_t seed = 1000;
  for (const File& file : photos()) {
    for (const int shrink : kShrinks) EXPECT_TRUE(check_file(file, {}, shrink, ++seed, 10));
  }
}

}  // namespace shrink_test
}  // namespace sluice
