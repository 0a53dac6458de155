// Packed JPEGs: they decode to the pixels of their files, give the files back byte for byte, and
// damage never shows as wrong pixels.

#include "tests/io/corpus.h"
#include "tests/io/decode_outcome.h"
#include "tests/io/images.h"
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/little_endian.h>
#include <sluice/io/packs/pack_jpeg.h>
#include <sluice/io/packs/packed_jpeg.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace pack_jpeg_test {

using Span = std::span<const std::uint8_t>;

// Learns from the file itself.
std::vector<std::uint8_t> dictionary_of(const JpegCoefficients& file) {
  PackTokenLearner learner;
  file.teach(learner);
  return learner.learn();
}

// Returns nothing if the file cannot be packed.
std::optional<std::vector<std::uint8_t>> packed(Span file, std::string* why_not = nullptr) {
  const auto coefficients = JpegCoefficients::read(file, why_not);
  if (!coefficients) return {};
  return pack_jpeg(*coefficients, dictionary_of(*coefficients));
}

void expect_equal_pixels(Span file, Span pack, std::uint32_t seed) {
  const JpegHeader header = peek_jpeg(file);
  const JpegHeader of_pack = peek_jpeg(pack);
  EXPECT_EQ(of_pack.width, header.width);
  EXPECT_EQ(of_pack.height, header.height);
  EXPECT_EQ(of_pack.components, header.components);
  EXPECT_EQ(of_pack.orientation, header.orientation);
  Random random({.seed = 5, .sample = seed});
  const int height = header.oriented_height(), width = header.oriented_width();
  for (const ColorSpace color : {ColorSpace::rgb, ColorSpace::gray}) {
    JpegOptions options{.color = color};
    for (int i = 0; i < 6; ++i) {
      std::optional<Rectangle> region;
      if (i > 0) region = any_region(random, height, width, i == 1);
      options.verify = i == 3;
      for (const int shrink : {1, 2, 8}) {
        const DecodeOutcome expected = outcome_of(file, region, options, kFast, nullptr, shrink);
        const DecodeOutcome found = outcome_of(pack, region, options, kFast, nullptr, shrink);
        ASSERT_TRUE(found.same_as(expected)) << found << " instead of " << expected;
        EXPECT_EQ(found.path, JpegPath::packed);
      }
    }
  }
}

struct Kind {
  const char* name;
  int height, width, channels;
  JpegEncodeOptions options;
};

class PackJpegOfKind : public ::testing::TestWithParam<Kind> {};

TEST_P(PackJpegOfKind, HasThePixelsAndGivesTheFileBack) {
  const Kind& kind = GetParam();
  const Bytes file = encode_jpeg(draw_image(kind.height, kind.width, kind.channels), kind.options);
  std::string why;
  const auto pack = packed(file, &why);
  ASSERT_TRUE(pack) << why;
  EXPECT_TRUE(is_packed_jpeg(*pack));
  EXPECT_FALSE(is_packed_jpeg(file));
  expect_equal_pixels(file, *pack, 1);
  const std::vector<std::uint8_t> again = unpack_jpeg(*pack);
  EXPECT_TRUE(std::equal(again.begin(), again.end(), file.begin(), file.end()));
}

constexpr Subsampling k444 = Subsampling::s444, k422 = Subsampling::s422, k420 = Subsampling::s420,
                      k440 = Subsampling::s440;

INSTANTIATE_TEST_SUITE_P(
    Kinds, PackJpegOfKind,
    ::testing::Values(Kind{"small", 1, 1, 3, {}}, Kind{"one_block", 8, 8, 1, {}},
                      Kind{"s444", 61, 175, 3, {.quality = 90, .subsampling = k444}},
                      Kind{"s422", 70, 275, 3, {.quality = 80, .subsampling = k422}},
                      Kind{"s420", 117, 300, 3, {.quality = 75, .subsampling = k420}},
                      Kind{"s440", 97, 140, 3, {.quality = 60, .subsampling = k440}},
                      Kind{"gray", 90, 333, 1, {.quality = 85}},
                      Kind{"finest", 64, 200, 3, {.quality = 100, .subsampling = k444}},
                      Kind{"coarsest", 64, 200, 3, {.quality = 1, .subsampling = k420}},
                      Kind{"restarts", 80, 300, 3, {.quality = 85, .restart_rows = 1}},
                      Kind{"optimized", 80, 300, 3, {.quality = 85, .optimize = true}},
                      Kind{"progressive", 90, 290, 3, {.quality = 85, .progressive = true}},
                      Kind{"turned", 90, 200, 3, {.quality = 85, .orientation = 6}},
                      Kind{"wide", 16, 1500, 3, {.quality = 85, .subsampling = k420}}),
    [](const auto& kind) { return std::string(kind.param.name); });

TEST(PackJpeg, NeedsTheDictionaryThatItWasWrittenWith) {
  const Bytes one = encode_jpeg(draw_image(60, 80, 3, 1)),
              other = encode_jpeg(draw_image(50, 40, 1, 9));
  const auto first = JpegCoefficients::read(one), second = JpegCoefficients::read(other);
  ASSERT_TRUE(first && second);
  // A dictionary of one file codes any other.
  const std::vector<std::uint8_t> pack = pack_jpeg(*second, dictionary_of(*first));
  expect_equal_pixels(other, pack, 2);
  EXPECT_EQ(dictionary_of(*first), dictionary_of(*first));
}

TEST(PackJpeg, SaysWhyAFileCannotBePacked) {
  const Bytes file = encode_jpeg(draw_image(60, 80, 3));
  const auto reason = [](Span bytes, const PackLimits& limits = {}) {
    std::string why;
    EXPECT_FALSE(JpegCoefficients::read(bytes, &why, limits));
    return why;
  };
  EXPECT_EQ(reason({}), "not a JPEG file");
  EXPECT_EQ(reason(std::vector<std::uint8_t>{1, 2, 3}), "not a JPEG file");
  EXPECT_NE(reason(Span(file).first(file.size() / 2)), "");
  EXPECT_EQ(reason(file, {.max_bytes = 1000}), "it has too many pixels");
  const Bytes scans = encode_jpeg(draw_image(60, 80, 3), {.progressive = true});
  EXPECT_EQ(reason(scans, {.max_scans = 3}), "it has more than 3 scans");
}

// A component that no scan has.
TEST(PackJpeg, AMissingComponentIsAReason) {
  std::vector<std::uint8_t> file = {0xff, 0xd8};
  const auto segment = [&file](std::uint8_t marker, const std::vector<std::uint8_t>& bytes) {
    file.insert(file.end(), {0xff, marker, 0, static_cast<std::uint8_t>(bytes.size() + 2)});
    file.insert(file.end(), bytes.begin(), bytes.end());
  };
  std::vector<std::uint8_t> ones(65, 1);
  ones[0] = 0;
  segment(0xdb, ones);
  segment(0xc0, {8, 0, 8, 0, 8, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0});
  for (const std::uint8_t table : std::initializer_list<std::uint8_t>{0x00, 0x10}) {
    std::vector<std::uint8_t> codes(18);
    codes[0] = table;
    codes[1] = 1;
    segment(0xc4, codes);
  }
  segment(0xda, {1, 1, 0, 0, 63, 0});
  // Two codes, and fill bits that look like those of the other components.
  file.insert(file.end(), {0x03, 0xff, 0xd9});
  std::string why;
  EXPECT_FALSE(JpegCoefficients::read(file, &why));
  EXPECT_EQ(why, "passes of it are missing");
}

// The packer stores files that unpacking would refuse.
TEST(PackJpeg, ManyEqualBytesAreAReason) {
  const Bytes file = encode_jpeg(draw_image(16, 16, 3));
  std::vector<std::uint8_t> longer(file.begin(), file.end());
  longer.resize(std::size_t{40} << 20);
  std::string why;
  EXPECT_FALSE(JpegCoefficients::read(longer, &why));
  EXPECT_EQ(why, "too many bytes in it are alike");
  longer.resize(std::size_t{4} << 20);
  const auto pack = packed(longer);
  ASSERT_TRUE(pack);
  EXPECT_TRUE(unpack_jpeg(*pack) == longer);
}

TEST(PackJpeg, KeepsWhatStandsAroundTheImage) {
  const Bytes file = encode_jpeg(draw_image(40, 50, 3));
  std::vector<std::uint8_t> longer(file.begin(), file.end());
  // A comment after the start marker, and bytes behind the end.
  const std::vector<std::uint8_t> comment = {0xff, 0xfe, 0,    9,   'a', 0xff,
                                             0xd9, 0xff, 0xda, 'b', 'c'};
  longer.insert(longer.begin() + 2, comment.begin(), comment.end());
  for (int i = 0; i < 3000; ++i) longer.push_back(static_cast<std::uint8_t>(i * i >> 3));
  const auto pack = packed(longer);
  ASSERT_TRUE(pack);
  EXPECT_EQ(unpack_jpeg(*pack), longer);
  expect_equal_pixels(longer, *pack, 3);
}

// Each change of a bit is found, or does not matter for what is asked.
TEST(PackJpeg, DamageIsAnErrorNeverAWrongPixel) {
  const Bytes file = encode_jpeg(draw_image(34, 60, 3), {.quality = 70, .subsampling = k420});
  const std::vector<std::uint8_t> pack = *packed(file);
  const DecodeOutcome whole = outcome_of(file, {}, {}, kFast);
  int refused = 0;
  PackedJpeg head;
  head.open(pack);
  // The dictionary is large, so only some of its bytes are changed.
  const ByteRange dictionary{PackedJpegParts::kPrefixBytes,
                             PackedJpegParts::kPrefixBytes + head.dictionary().size()};
  for (std::size_t at = 0; at < pack.size();
       at += at >= dictionary.begin && at + 200 < dictionary.end ? 97 : 1) {
    std::vector<std::uint8_t> damaged = pack;
    damaged[at] ^= static_cast<std::uint8_t>(1 << at % 8);
    const DecodeOutcome outcome = outcome_of(damaged, {}, {}, kFast);
    if (outcome.error.empty()) {
      EXPECT_TRUE(outcome.image == whole.image) << at;
    } else {
      ++refused;
    }
    try {
      const std::vector<std::uint8_t> again = unpack_jpeg(damaged);
      EXPECT_TRUE(std::equal(again.begin(), again.end(), file.begin(), file.end())) << at;
    } catch (const JpegError&) {
    }
  }
  EXPECT_GT(refused, 500);
  for (std::size_t bytes = 0; bytes < pack.size(); bytes += 1 + bytes / 40) {
    const Span cut = Span(pack).first(bytes);
    const DecodeOutcome outcome = outcome_of(cut, {}, {}, kFast);
    EXPECT_TRUE(!outcome.error.empty() || outcome.image == whole.image) << bytes;
    EXPECT_THROW(unpack_jpeg(cut), JpegError) << bytes;
  }
}

// Bytes with valid checksums can still be anything. They decode to some image or fail.
// SLUICE_JPEG_MUTANTS is their number; scripts/test --nightly makes 100,000.
TEST(PackJpeg, ForgedBytesDecodeToAnythingOrFail) {
  const Bytes file = encode_jpeg(draw_image(50, 300, 3), {.quality = 80, .subsampling = k420});
  const std::vector<std::uint8_t> pack = *packed(file);
  PackedJpeg head;
  head.open(pack);
  const std::size_t sample = PackedJpegParts::kPrefixBytes + head.dictionary().size();
  const std::size_t table = sample + PackedJpegParts::kFixedBytes + head.header().size();
  const std::size_t entry_bytes = 4 + 2 * std::size_t{head.segments_per_row()};
  const std::size_t head_bytes = detail::read_little<std::uint32_t>(pack, sample);
  int decoded = 0, refused = 0;
  const char* const wish = std::getenv("SLUICE_JPEG_MUTANTS");
  const auto mutants = static_cast<std::uint32_t>(wish != nullptr ? std::atoi(wish) : 400);
  for (std::uint32_t i = 0; i < mutants; ++i) {
    Random random({.seed = 3, .sample = i});
    std::vector<std::uint8_t> forged = pack;
    // Either the dictionary, the head, or the rows.
    const ByteRange parts[] = {
        {0, sample}, {sample, sample + head_bytes}, {sample + head_bytes, pack.size()}};
    const ByteRange& part = parts[i % 4 == 3 ? 2 : i % 4];
    for (std::uint32_t changes = 1 + random.below(6); changes > 0; --changes) {
      const std::size_t at = part.begin + random.below(static_cast<std::uint32_t>(part.size()));
      forged[at] = static_cast<std::uint8_t>(random.below(256));
    }
    for (std::uint32_t row = 0; row < head.rows(); ++row) {
      const ByteRange range = head.range_of_rows(row, row);
      const std::uint32_t sum =
          checksum_of_packed_row(Span(forged).subspan(range.begin, range.size()));
      std::memcpy(forged.data() + table + row * entry_bytes, &sum, sizeof sum);
    }
    const std::uint64_t of_dictionary = checksum_of_dictionary(
        Span(forged).subspan(PackedJpegParts::kPrefixBytes, head.dictionary().size()));
    std::memcpy(forged.data() + sample + 24, &of_dictionary, sizeof of_dictionary);
    const std::uint64_t sum = checksum_of_packed_head(Span(forged).subspan(sample, head_bytes));
    std::memcpy(forged.data() + sample + 32, &sum, sizeof sum);
    JpegOptions options;
    options.max_output_bytes = 1 << 22;
    for (const std::optional<Rectangle>& region :
         {std::optional<Rectangle>(), std::optional<Rectangle>({10, 100, 20, 60})}) {
      const DecodeOutcome outcome = outcome_of(forged, region, options, kFast);
      ++(outcome.error.empty() ? decoded : refused);
    }
    try {
      (void)unpack_jpeg(forged);
    } catch (const JpegError&) {
    }
  }
  EXPECT_GT(decoded, static_cast<int>(mutants / 20));
  EXPECT_GT(refused, static_cast<int>(mutants / 20));
}

using PackJpegCorpus = JpegCorpus;

TEST_F(PackJpegCorpus, PhotographsAreEqualAndSmall) {
  PackTokenLearner learner;
  const std::vector<File> files = photos();
  std::vector<std::optional<JpegCoefficients>> all;
  for (const File& file : files) {
    all.push_back(JpegCoefficients::read(file));
    ASSERT_TRUE(all.back());
    if (all.size() <= 30) all.back()->teach(learner);
  }
  const std::vector<std::uint8_t> dictionary = learner.learn();
  std::size_t before = 0, after = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::vector<std::uint8_t> pack = pack_jpeg(*all[i], dictionary);
    before += files[i].size();
    after += pack.size() - dictionary.size();
    EXPECT_EQ(unpack_jpeg(pack), files[i]);
    if (i % 4 == 0) expect_equal_pixels(files[i], pack, static_cast<std::uint32_t>(i));
  }
  EXPECT_LT(static_cast<double>(after), 1.25 * static_cast<double>(before));
}

TEST_F(PackJpegCorpus, FilesAreEqualOrStoredForAReason) {
  std::map<std::string, int> reasons;
  int equal = 0, good = 0;
  for (const Entry& entry : entries_) {
    SCOPED_TRACE(entry.at("path"));
    const File file = read(entry);
    std::string why;
    std::optional<JpegCoefficients> found =
        JpegCoefficients::read(file, &why, {.max_bytes = 1 << 27});
    const bool is_good = entry.at("class") == "good";
    good += is_good ? 1 : 0;
    if (!found) {
      EXPECT_NE(why, "");
      ++reasons[why];
      continue;
    }
    equal += is_good ? 1 : 0;
    const std::vector<std::uint8_t> pack = pack_jpeg(*found, dictionary_of(*found));
    EXPECT_EQ(unpack_jpeg(pack), file);
    for (const ColorSpace color : {ColorSpace::rgb, ColorSpace::gray}) {
      const DecodeOutcome expected = outcome_of(file, {}, {.color = color}, kFast);
      const DecodeOutcome decoded = outcome_of(pack, {}, {.color = color}, kFast);
      EXPECT_TRUE(is_good ? decoded.same_as(expected) : decoded.same_as_for_damage(expected))
          << decoded << " instead of " << expected;
    }
  }
  EXPECT_GT(equal, good * 9 / 10);
  for (const auto& [reason, count] : reasons)
    RecordProperty("stored, " + reason, std::to_string(count));
}

}  // namespace pack_jpeg_test
}  // namespace sluice
