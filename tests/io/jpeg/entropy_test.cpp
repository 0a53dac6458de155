// Our own entropy decoder against libjpeg's: the same pixels, warnings and errors on files of all
// kinds, sound and damaged, with an index and without.

#include "tests/io/corpus.h"
#include "tests/io/decode_outcome.h"
#include "tests/io/images.h"
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/self_test.h>
#include <sluice/runtime/random.h>

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace entropy_test {

class JpegEntropyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "not in use with this libjpeg";
  }
};
class JpegEntropyCorpus : public JpegCorpus {};

// Checks the whole image and `regions` regions, with both decoders, without an index and with full
// ones of rows and of every 16th group. Returns whether our decoder accepts the image.
bool check_file(std::span<const std::uint8_t> file, const JpegOptions& options, std::uint64_t seed,
                int regions) {
  const DecodeOutcome library = outcome_of(file, {}, options, kLibrary);
  const DecodeOutcome fast = outcome_of(file, {}, options, kFast);
  EXPECT_TRUE(fast.same_as(library)) << fast << " instead of " << library;
  if (!library.error.empty()) return false;

  std::shared_ptr<JpegIndex> indices[] = {nullptr, JpegIndex::in_memory({.grain = 0}),
                                          JpegIndex::in_memory({.grain = 16})};
  for (const auto& index : indices) {
    if (index) outcome_of(file, {}, options, kFast, index.get());
  }
  Random random({.seed = seed});
  for (int i = 0; i < regions; ++i) {
    const Rectangle w =
        any_region(random, library.image.height(), library.image.width(), i % 4 == 3);
    const Image cut = library.image.crop_view(w.y, w.x, w.height, w.width).clone();
    for (const auto& index : indices) {
      for (const auto entropy : {kFast, kLibrary}) {
        if (index && entropy == kLibrary) continue;
        const DecodeOutcome part = outcome_of(file, w, options, entropy, index.get());
        EXPECT_TRUE(part.error.empty() && part.image == cut)
            << part << (index ? " with an index of grain " + std::to_string(index->grain()) : "")
            << ": " << w.height << " x " << w.width << " at (" << w.y << ", " << w.x << ")";
        if (index && fast.path == JpegPath::fast) {
          EXPECT_EQ(part.path, JpegPath::indexed);
        }
      }
    }
  }
  return fast.path == JpegPath::fast;
}

TEST_F(JpegEntropyTest, DecodesOrdinaryFilesOfAllKinds) {
  const int sizes[][2] = {{1, 1}, {7, 9}, {16, 16}, {33, 47}, {64, 129}, {131, 90}};
  std::uint64_t seed = 0;
  for (const auto& size : sizes) {
    for (const int channels : {1, 3}) {
      for (const Subsampling s :
           {Subsampling::s444, Subsampling::s422, Subsampling::s420, Subsampling::s440}) {
        for (const int quality : {20, 75, 97, 100}) {
          for (const int restart_rows : {0, 1, 3}) {
            SCOPED_TRACE(::testing::Message() << size[0] << " x " << size[1] << " x " << channels
                                              << ", quality " << quality << ", sampling "
                                              << static_cast<int>(s) << ", " << restart_rows);
            ++seed;
            const Bytes file = encode_jpeg(draw_image(size[0], size[1], channels, seed),
                                           {.quality = quality,
                                            .subsampling = s,
                                            .optimize = quality == 97,
                                            .orientation = static_cast<int>(seed % 8) + 1,
                                            .restart_rows = restart_rows});
            JpegOptions options;
            if (seed % 3 == 0) options.color = ColorSpace::gray;
            EXPECT_TRUE(check_file(file, options, seed, 4));
          }
        }
      }
    }
  }
}

TEST_F(JpegEntropyTest, LeavesOtherKindsToTheLibrary) {
  const Image image = draw_image(40, 50, 3);
  const Bytes progressive = encode_jpeg(image, {.progressive = true});
  EXPECT_FALSE(check_file(progressive, {}, 1, 8));
  EXPECT_EQ(outcome_of(progressive, {}, {}, kFast).path, JpegPath::fell_back);
  EXPECT_EQ(outcome_of(encode_jpeg(image), {}, {}, kLibrary).path, JpegPath::library);
}

TEST_F(JpegEntropyTest, ARegionMayLearnForTheNext) {
  const Bytes file = encode_jpeg(draw_image(300, 200, 3), {.subsampling = Subsampling::s444});
  const auto index = JpegIndex::in_memory({.grain = 4});
  const auto path = [&](Rectangle w) { return outcome_of(file, w, {}, kFast, index.get()).path; };
  EXPECT_EQ(path({100, 50, 50, 50}), JpegPath::fast);
  const std::int64_t first = index->records();
  EXPECT_GT(first, 0);
  EXPECT_EQ(path({90, 20, 30, 100}), JpegPath::indexed);
  EXPECT_EQ(index->records(), first);
  EXPECT_EQ(path({200, 120, 60, 60}), JpegPath::indexed);
  EXPECT_GT(index->records(), first);
  // Down to the last row: now all of the file is known.
  EXPECT_EQ(path({200, 120, 100, 60}), JpegPath::indexed);
  const std::int64_t all = index->records();
  EXPECT_EQ(all, 38 * 7);  // rows of groups times every fourth group of 25
  EXPECT_TRUE(check_file(file, {}, 5, 20));
  // Whole images and `verify` read everything themselves.
  JpegOptions verify;
  verify.verify = true;
  EXPECT_EQ(outcome_of(file, Rectangle{5, 5, 9, 9}, verify, kFast, index.get()).path,
            JpegPath::fast);
}

TEST_F(JpegEntropyCorpus, EveryFileEndsAsTheLibraryEndsIt) {
  if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "not in use with this libjpeg";
  std::uint64_t seed = 0;
  int ours = 0;
  for (const Entry& entry : entries_) {
    if (entry.at("class").starts_with("bad/limit")) continue;
    SCOPED_TRACE(entry.at("path"));
    const File file = read(entry);
    JpegOptions options;
    ours += check_file(file, options, ++seed, 20) ? 1 : 0;
    options.damage = DamagePolicy::tolerant;
    options.apply_orientation = false;
    const DecodeOutcome library = outcome_of(file, {}, options, kLibrary);
    const DecodeOutcome fast = outcome_of(file, {}, options, kFast);
    EXPECT_TRUE(fast.same_as(library)) << fast << " instead of " << library;
  }
  EXPECT_GT(ours, 500 / part());
}

TEST_F(JpegEntropyCorpus, EveryPhotographIsOrdinary) {
  if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "not in use with this libjpeg";
  std::uint64_t seed = 1000;
  for (const File& file : photos()) EXPECT_TRUE(check_file(file, {}, ++seed, 20));
}

}  // namespace entropy_test
}  // namespace sluice
