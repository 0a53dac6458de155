// Files that no index knows: the device itself finds where their MCUs begin. Pixels are exact, or
// the sample is flagged for the host.
#include "tests/cuda/jpeg/exact_decode.h"
#include "tests/cuda/jpeg/test_files.h"
#include "tests/io/corpus.h"
#include "tests/io/jpeg/mutant.h"
#include <sluice/cuda/jpeg/synchronize.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace sluice::device {
namespace unindexed_test {

TEST(UnindexedJpeg, SmallImagesOfAllSizesAreExact) {
  ExactDecode decode(std::make_unique<HeapDevice>());
  std::uint32_t bytes = 3;
  for (const Sampling& sampling : kSamplings) {
    for (int height = 1; height <= 37; height += height < 4 ? 1 : 8) {
      for (int width = 1; width <= 41; width += width < 7 ? 1 : 9) {
        const File file = encode_test_jpeg(sampling, height, width, 80, 0, 3, false);
        bytes = bytes == 23 ? 3 : bytes + 1;
        decode.compare(file, {.wide = 2, .narrow = 2, .subsequence = bytes},
                       std::string(sampling.name) + ", " + std::to_string(height) + " x " +
                           std::to_string(width));
      }
    }
  }
  EXPECT_EQ(decode.tally.refused, 0);
  EXPECT_GT(decode.tally.files, 200);
}

// The smallest sizes cut symbols into several parts, and make several tiles of a file.
TEST(UnindexedJpeg, AllKindsAreExact) {
  ExactDecode decode;
  int seed = 0;
  for (const Sampling& sampling : kSamplings) {
    for (const int restart : {0, 1, 5, 7, 100}) {
      for (const std::uint32_t bytes : {1u, 16u, 64u, kJpegSubsequenceBytes}) {
        ++seed;
        const File file = turned(
            encode_test_jpeg(sampling, 70 + seed % 50, 90 + seed % 37, seed % 2 == 0 ? 100 : 60,
                             restart, static_cast<std::uint64_t>(seed), seed % 3 == 0),
            1 + seed % 8);
        Wanted wanted{.wide = 2, .narrow = 2, .subsequence = bytes};
        wanted.options.color = seed % 5 == 0 ? ColorSpace::gray : ColorSpace::rgb;
        wanted.options.apply_orientation = seed % 7 != 0;
        decode.compare(file, wanted,
                       std::string(sampling.name) + ", restart " + std::to_string(restart) +
                           ", orientation " + std::to_string(1 + seed % 8));
      }
    }
  }
  EXPECT_EQ(decode.tally.files, 100);
  EXPECT_EQ(decode.tally.refused, 0);
}

// With `verify`, a file is read to its end, as if no index knew it.
TEST(UnindexedJpeg, VerifiedRegionsAreExact) {
  ExactDecode decode;
  Wanted wanted{.wide = 3, .narrow = 3};
  wanted.options.verify = true;
  decode.compare(encode_test_jpeg(kSamplings[2], 150, 130, 90, 0, 1, false), wanted, "verified");
  EXPECT_EQ(decode.tally.files, 1);
}

// If no block differs from the others, guesses are never right. The known part then grows slowly
// from the beginning.
TEST(UnindexedJpeg, FlatImagesAreExact) {
  ExactDecode decode;
  for (const Sampling& sampling : kSamplings) {
    const bool gray = sampling.across == 0;
    for (const bool optimized : {false, true}) {
      const Image flat = filled(170, 210, gray ? 1 : 3, 77);
      const File file = reference_encode(flat, gray ? JCS_GRAYSCALE : JCS_RGB, 80,
                                         [&](jpeg_compress_struct& info) {
                                           info.optimize_coding = optimized ? TRUE : FALSE;
                                           if (gray) return;
                                           info.comp_info[0].h_samp_factor = sampling.across;
                                           info.comp_info[0].v_samp_factor = sampling.down;
                                         });
      for (const std::uint32_t bytes : {16u, kJpegSubsequenceBytes})
        decode.compare(file, {.wide = 2, .narrow = 2, .subsequence = bytes}, sampling.name);
    }
  }
  EXPECT_EQ(decode.tally.files, 20);
}

// Checks a file that the device accepts: its result is flagged, or equals that of the host's
// decoder, which reports no problem.
class Judge {
 public:
  void judge(const File& file, const std::optional<Rectangle>& region, std::uint32_t bytes,
             const JpegOptions& options, const std::string& name) {
    plan_.set_subsequence_bytes(bytes);
    try {
      if (!plan_.make(file, peek_jpeg(file), nullptr, region, options)) {
        ++refused;
        return;
      }
    } catch (const JpegError&) {
      ++refused;
      return;
    }
    ++taken;
    const auto images = decode_on(*device_, {{&plan_, file}}, batch_, 3);
    if (images[0].damaged) {
      ++flagged;
      return;
    }
    const DecodeOutcome expected = outcome_of(file, region, options, kFast);
    EXPECT_EQ(expected.error, "") << name;
    EXPECT_EQ(expected.warning, "") << name;
    if (kSamePixelsOfDamage) {
      EXPECT_TRUE(images[0].image == expected.image) << name;
    }
  }
  void tell() const { std::printf("%d refused, %d taken, %d flagged\n", refused, taken, flagged); }

  int refused = 0, taken = 0, flagged = 0;

 private:
  // Ordinary memory, where sanitizers would see a wrong access.
  std::shared_ptr<Device> device_ = on_gpu() ? test_device() : std::make_shared<HeapDevice>();
  JpegBatch batch_;
  JpegPlan plan_;
};

std::size_t scan_of(const File& file) { return segments_of(file).back().end; }

TEST(UnindexedJpeg, DamageIsFlaggedOrDoesNotMatter) {
  Judge judge;
  Random random({.seed = 21});
  const auto below = [&](std::size_t n) { return random.below(static_cast<std::uint32_t>(n)); };
  for (int i = 0; i < 900; ++i) {
    const File sound = encode_test_jpeg(kSamplings[i % 5], 60, 80, i % 2 == 0 ? 95 : 50,
                                        i % 3 == 0 ? 4 : 0, 1 + i % 4, i % 4 == 0);
    File file = sound;
    const std::size_t scan = scan_of(sound), at = scan + below(sound.size() - 2 - scan);
    const auto place = file.begin() + static_cast<std::ptrdiff_t>(at);
    const auto any = static_cast<std::uint8_t>(random.below(256));
    switch (i % 8) {
      case 0:
        file[at] ^= static_cast<std::uint8_t>(1u << random.below(8));
        break;
      case 1:
        file[at] = any;
        break;
      case 2:
        file.erase(place, file.begin() + static_cast<std::ptrdiff_t>(
                                             std::min(at + 1 + below(9), file.size() - 2)));
        break;
      case 3:
        file.insert(place, 1 + random.below(6), any);
        break;
      case 4:  // cut, but with its last marker
        file.erase(place, file.end() - 2);
        break;
      case 5:  // garbage before the last marker
        file.insert(file.end() - 2, 1 + random.below(3), any == 0xff ? std::uint8_t{1} : any);
        break;
      default:
        file = jpeg_mutant(sound, random);
        break;
    }
    JpegOptions options{.max_output_bytes = 1 << 22};
    if (i % 3 == 1) options.damage = DamagePolicy::tolerant;
    const std::string name = "mutant " + std::to_string(i);
    const std::uint32_t bytes = i % 2 == 0 ? 16 : 64;
    judge.judge(file, {}, bytes, options, name);
    judge.judge(file, Rectangle{15, 10, 30, 25}, bytes, options, name + ", region");
  }
  judge.tell();
  EXPECT_GT(judge.taken, 900);
  EXPECT_GT(judge.flagged, judge.taken / 4);
  EXPECT_LT(judge.flagged, judge.taken);
}

// The header says that the image is larger or smaller than the coded one.
TEST(UnindexedJpeg, TooManyAndTooFewMcusAreFlagged) {
  for (const Sampling& sampling : kSamplings) {
    for (const int restart : {0, 3}) {
      for (const int change : {-8, 8, -40, 40}) {
        File file = encode_test_jpeg(sampling, 96, 128, 80, restart, 1, false);
        for (const auto& segment : segments_of(file)) {
          if (segment.marker != 0xc0) continue;
          std::uint8_t& height = file[segment.begin + 6];
          height = static_cast<std::uint8_t>(height + 2 * change);
        }
        Judge judge;
        judge.judge(file, {}, 32, {}, sampling.name);
        EXPECT_EQ(judge.flagged + judge.refused, 1) << sampling.name << ", " << change;
        EXPECT_EQ(judge.refused, restart == 0 ? 0 : 1);
      }
    }
  }
}

TEST(UnindexedJpeg, MarkersThatDoNotBelongThereAreRefused) {
  const auto plain = encode_test_jpeg(kSamplings[0], 60, 80, 80, 0, 1, false);
  const auto restarts = encode_test_jpeg(kSamplings[0], 60, 80, 80, 4, 1, false);
  std::vector<std::size_t> markers;
  for (std::size_t i = scan_of(restarts); i + 1 < restarts.size(); ++i) {
    if (restarts[i] == 0xff && (restarts[i + 1] & 0xf8) == 0xd0) markers.push_back(i);
  }
  ASSERT_GT(markers.size(), 10u);
  const auto changed = [](File file, std::size_t at, std::initializer_list<std::uint8_t> bytes) {
    std::copy(bytes.begin(), bytes.end(), file.begin() + static_cast<std::ptrdiff_t>(at));
    return file;
  };
  const auto with = [](File file, std::size_t from_end, std::initializer_list<std::uint8_t> bytes) {
    file.insert(file.end() - static_cast<std::ptrdiff_t>(from_end), bytes.begin(), bytes.end());
    return file;
  };
  File cut(plain.begin(), plain.end() - 2);
  const struct {
    const char* name;
    File file;
    bool taken;
  } cases[] = {
      {"plain", plain, true},
      {"restarts", restarts, true},
      {"garbage after its end", with(plain, 0, {1, 2, 3}), true},
      {"cut before its last marker", cut, false},
      {"cut in its last marker", File(plain.begin(), plain.end() - 1), false},
      {"DNL", with(plain, 2, {0xff, 0xdc, 0, 4, 0, 60}), false},
      {"fill bytes", with(plain, 2, {0xff}), false},
      {"a restart marker too many", with(plain, 2, {0xff, 0xd0}), false},
      {"the wrong one", changed(restarts, markers[3], {0xff, 0xd0}), false},
      {"one too few", changed(restarts, markers[3], {0x12, 0x34}), false},
      {"an empty interval",
       with(restarts, 2, {0xff, static_cast<std::uint8_t>(0xd0 + markers.size() % 8)}), false},
  };
  for (const auto& c : cases) {
    Judge judge;
    judge.judge(c.file, {}, 64, {}, c.name);
    EXPECT_EQ(judge.taken, c.taken ? 1 : 0) << c.name;
    EXPECT_EQ(judge.flagged, 0) << c.name;
  }
}

// If all guesses are wrong, the known part advances only from tile to tile.
TEST(UnindexedJpeg, WhatDoesNotSettleIsFlagged) {
  const File file =
      reference_encode(filled(900, 900, 3, 200), JCS_RGB, 80, [](jpeg_compress_struct& info) {
        info.comp_info[0].h_samp_factor = info.comp_info[0].v_samp_factor = 1;
        info.optimize_coding = TRUE;
      });
  for (const std::uint32_t bytes : {1u, kJpegSubsequenceBytes}) {
    Judge judge;
    judge.judge(file, {}, bytes, {}, "flat");
    EXPECT_EQ(judge.flagged, bytes == 1 ? 1 : 0);
  }
}

// As with threads that have a run each; on the host there is one thread.
TEST(UnindexedJpeg, SumsOfRunsAreSumsOfAll) {
  Random random({.seed = 4});
  for (int round = 0; round < 200; ++round) {
    JpegSums one;
    std::vector<JpegSums> runs(1 + random.below(6));
    for (JpegSums& run : runs) {
      for (std::uint32_t i = random.below(5); i > 0; --i) {
        if (random.below(6) == 0) one = run = {.begins = 1};
        JpegTally tally;
        tally.starts = static_cast<std::uint16_t>(random.below(50));
        for (std::int32_t& sum : tally.sums) sum = static_cast<std::int32_t>(random.below(99)) - 50;
        one.add(tally);
        run.add(tally);
      }
    }
    // Pairs first, in any order.
    while (runs.size() > 1) {
      const std::size_t i = random.below(static_cast<std::uint32_t>(runs.size() - 1));
      runs[i + 1] = runs[i + 1].after(runs[i]);
      runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(i));
    }
    EXPECT_EQ(runs[0].begins, one.begins);
    EXPECT_EQ(runs[0].groups, one.groups);
    EXPECT_TRUE(std::equal(std::begin(one.dc), std::end(one.dc), runs[0].dc));
  }
}

using UnindexedJpegFiles = JpegCorpus;

TEST_F(UnindexedJpegFiles, SomePhotographsAreExact) {
  ExactDecode decode;
  const std::vector<File> files = photos();
  for (std::size_t i = 0; i < files.size(); i += on_gpu() ? 1 : 10) {
    const std::uint32_t bytes = i % 4 == 0 ? 40 : kJpegSubsequenceBytes;
    decode.compare(files[i], {.wide = 1, .narrow = 2, .subsequence = bytes},
                   "photograph " + std::to_string(i));
  }
  EXPECT_EQ(decode.tally.refused, 0);
}

// Good, odd and hostile files.
TEST_F(UnindexedJpegFiles, TheCorpusIsExactOrFlagged) {
  Judge judge;
  const std::vector<Entry> entries = entries_of("");
  std::uint32_t number = 0;
  for (const Entry& entry : entries) {
    if (std::stol("0" + entry.at("bytes")) > 60000) continue;
    const std::uint32_t bytes = ++number % 2 == 0 ? 48 : kJpegSubsequenceBytes;
    judge.judge(read(entry), {}, bytes, {.max_output_bytes = 1 << 24}, entry.at("path"));
  }
  judge.tell();
  EXPECT_GT(judge.taken - judge.flagged, 100);
}

}  // namespace unindexed_test
}  // namespace sluice::device
