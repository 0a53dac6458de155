// Damaged files have the same outcome with our entropy decoder as with libjpeg's: the same pixels,
// warnings and errors, with an index and without. SLUICE_JPEG_MUTANTS is the number of files;
// scripts/test --nightly makes 100,000.

#include "tests/io/jpeg/mutant.h"

#include "tests/io/decode_outcome.h"
#include "tests/io/images.h"
#include "tests/io/reference_jpeg.h"
#include "tests/tried.h"
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/entropy.h>
#include <sluice/io/jpeg/self_test.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace mutant_test {

class JpegMutantTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "not in use with this libjpeg";
    for (const int restart_rows : {0, 1}) {
      for (const Subsampling s : {Subsampling::s444, Subsampling::s420}) {
        files_.push_back(
            encode_jpeg(draw_image(61, 75, 3),
                        {.quality = 85, .subsampling = s, .restart_rows = restart_rows}));
      }
      files_.push_back(
          encode_jpeg(draw_image(kHeight, 90, 1),
                      {.quality = 96, .optimize = true, .restart_rows = restart_rows}));
    }
    // More than our decoder prepares in one step.
    files_.push_back(encode_jpeg(draw_image(150, 180, 1), {.quality = 100}));
    ASSERT_GT(files_.back().size(), ScanReader::kPiece);
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // An index that knows the undamaged files and learns nothing more.
  std::shared_ptr<JpegIndex> index_of_files() const {
    const auto index = JpegIndex::in_memory({.grain = 4});
    for (const Bytes& file : files_) outcome_of(file, {}, {}, kFast, index.get());
    const std::string path = (folder_ / "index").string();
    index->save(path);
    return JpegIndex::open(path);
  }

  // A region of this size lies in every file.
  static constexpr int kHeight = 40;
  static constexpr int kWidth = 75;
  std::vector<Bytes> files_;
  std::filesystem::path folder_;
};

TEST_F(JpegMutantTest, EndAsTheLibraryEndsThem) {
  const char* wish = std::getenv("SLUICE_JPEG_MUTANTS");
  const int mutants = wish != nullptr ? std::atoi(wish) : 2000;
  const auto stranger = index_of_files();
  int refused = 0;
  int decoded = 0;
  int indexed = 0;
  for (int i = 0; i < mutants; ++i) {
    SCOPED_TRACE("mutant " + std::to_string(i));
    testing::tried("damaged-jpeg");
    Random random({.seed = 77, .sample = static_cast<std::uint32_t>(i)});
    const Bytes& file = files_[static_cast<std::size_t>(i) % files_.size()];
    const auto bytes = jpeg_mutant(file, random);
    const bool is_known = stranger->find(digest_of(bytes)).has_value();
    ASSERT_EQ(is_known, std::equal(bytes.begin(), bytes.end(), file.begin(), file.end()));

    JpegOptions options;
    options.max_output_bytes = 1 << 22;
    if (i % 2 == 1) options.damage = DamagePolicy::tolerant;
    options.verify = i % 10 == 9;
    const auto own = JpegIndex::in_memory({.grain = std::array{0u, 1u, 16u}[random.below(3)]});
    const auto ends_as = [&](const DecodeOutcome& library, const std::optional<Rectangle>& region,
                             JpegIndex* index) {
      const DecodeOutcome fast = outcome_of(bytes, region, options, kFast, index);
      EXPECT_TRUE(fast.same_as_for_damage(library)) << fast << " instead of " << library;
      if (index == stranger.get() && !is_known) {
        EXPECT_NE(fast.path, JpegPath::indexed);
      }
      indexed += fast.path == JpegPath::indexed ? 1 : 0;
    };

    // The index learns a mutant from all of it, or from a region first.
    const DecodeOutcome whole = outcome_of(bytes, {}, options, kLibrary);
    ends_as(whole, {}, i % 3 == 0 ? own.get() : nullptr);
    ++(whole.error.empty() ? decoded : refused);
    for (const bool narrow : {false, true}) {
      // A region sees the damage that the library sees on its way there, with or without an index.
      const Rectangle w = any_region(random, kHeight, kWidth, narrow);
      const DecodeOutcome part = outcome_of(bytes, w, options, kLibrary);
      for (JpegIndex* index : {static_cast<JpegIndex*>(nullptr), stranger.get(), own.get()}) {
        ends_as(part, w, index);
      }
    }
    ends_as(whole, {}, own.get());
    if (HasFailure()) return;
  }
  EXPECT_GT(refused, mutants / 10);
  EXPECT_GT(decoded, mutants / 10);
  EXPECT_GT(indexed, mutants / 10);
}

// The library reads a little ahead of a region, and so may find that the file ends.
TEST_F(JpegMutantTest, AFileThatEndsInFillBytesIsCut) {
  const Bytes file = encode_jpeg(draw_image(37, 50, 3), {.quality = 30});
  for (std::size_t cut = segments_of(file).back().end; cut < file.size(); ++cut) {
    for (const std::size_t fill_bytes : {1, 2, 60}) {
      for (const std::size_t zeros : {0, 2}) {
        std::vector<std::uint8_t> bytes(file.begin(), file.begin() + cut);
        bytes.resize(cut + fill_bytes, 0xff);
        bytes.resize(cut + fill_bytes + zeros, 0);
        const Rectangle w{3, 28, 2, 7};
        const DecodeOutcome library = outcome_of(bytes, w, {}, kLibrary);
        const DecodeOutcome fast = outcome_of(bytes, w, {}, kFast);
        EXPECT_TRUE(fast.same_as(library)) << "cut at " << cut << ", " << fill_bytes << " and "
                                           << zeros << ": " << fast << " instead of " << library;
      }
    }
  }
}

// Sampling factors of a gray image mean nothing, but the library decodes two rows of blocks at
// once.
TEST_F(JpegMutantTest, ACutGrayFileWithSamplingFactorsIsCutForRegionsToo) {
  const Bytes file =
      Bytes::copy_of(reference_encode(draw_image(40, 90, 1), JCS_GRAYSCALE, 50, [](auto& info) {
        info.comp_info[0].h_samp_factor = info.comp_info[0].v_samp_factor = 2;
      }));
  int damaged = 0;
  for (std::size_t cut = segments_of(file).back().end; cut < file.size(); ++cut) {
    const std::vector<std::uint8_t> bytes(file.begin(), file.begin() + cut);
    for (const Rectangle& w : {Rectangle{12, 49, 7, 6}, Rectangle{0, 0, 5, 90}}) {
      const DecodeOutcome library = outcome_of(bytes, w, {}, kLibrary);
      const DecodeOutcome fast = outcome_of(bytes, w, {}, kFast);
      EXPECT_TRUE(fast.same_as(library))
          << "cut at " << cut << ": " << fast << " instead of " << library;
      damaged += library.error.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(damaged, 20);
}

}  // namespace mutant_test
}  // namespace sluice
