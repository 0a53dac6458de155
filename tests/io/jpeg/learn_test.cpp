#include "tests/io/corpus.h"
#include "tests/io/decode_outcome.h"
#include "tests/io/images.h"
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/self_test.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {

std::ostream& operator<<(std::ostream& out, const JpegLearnReport& report) {
  return out << static_cast<int>(report.result) << " '" << report.reason << "'";
}

namespace learn_test {

class JpegLearnTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "nothing can be learnt with this libjpeg";
  }
};
class JpegLearnCorpus : public JpegCorpus {};

// Learning `file` and decoding it whole leave the same entry in an index, and regions can then be
// decoded alone. Returns whether it can be learned.
bool check_file(std::span<const std::uint8_t> file, const JpegOptions& options) {
  bool known = false;
  for (const std::uint32_t grain : {0u, 5u, 16u}) {
    const auto index = JpegIndex::in_memory({.grain = grain});
    const JpegLearnReport report = learn_jpeg(file, *index, options);
    EXPECT_EQ(report.reason.empty(), report.result == JpegLearnt::known) << report;

    const auto decoded = JpegIndex::in_memory({.grain = grain});
    const DecodeOutcome whole =
        outcome_of(file, {}, options, JpegEntropyDecoder::fast, decoded.get());
    const auto a = index->find(digest_of(file));
    const auto b = decoded->find(digest_of(file));
    EXPECT_EQ(a.has_value(), b.has_value()) << report;
    EXPECT_EQ(report.result == JpegLearnt::known, b && b->complete) << report;
    if (!whole.error.empty() || !whole.warning.empty()) {
      // Learning does not decode a whole progressive file only to find out whether it is sound.
      EXPECT_TRUE(report.result == JpegLearnt::unusable || report.result == JpegLearnt::unsuitable)
          << report << " instead of " << whole;
    }
    if (!a || !b) continue;
    EXPECT_EQ(a->grain, b->grain);
    EXPECT_EQ(a->per_row, b->per_row);
    EXPECT_EQ(a->complete, b->complete);
    EXPECT_EQ(std::vector(a->records.begin(), a->records.end()),
              std::vector(b->records.begin(), b->records.end()));
    known = a->complete;
  }
  return known;
}

TEST_F(JpegLearnTest, LeavesWhatDecodingLeaves) {
  const int sizes[][2] = {{1, 1}, {7, 9}, {16, 16}, {33, 47}, {64, 129}, {131, 90}};
  std::uint64_t seed = 0;
  for (const auto& size : sizes) {
    for (const int channels : {1, 3}) {
      for (const Subsampling s :
           {Subsampling::s444, Subsampling::s422, Subsampling::s420, Subsampling::s440}) {
        for (const int restart_rows : {0, 2}) {
          SCOPED_TRACE(::testing::Message()
                       << size[0] << " x " << size[1] << " x " << channels << ", sampling "
                       << static_cast<int>(s) << ", " << restart_rows);
          ++seed;
          const Bytes file = encode_jpeg(draw_image(size[0], size[1], channels, seed),
                                         {.subsampling = s,
                                          .orientation = static_cast<int>(seed % 8) + 1,
                                          .restart_rows = restart_rows});
          EXPECT_TRUE(check_file(file, {}));
        }
      }
    }
  }
}

TEST_F(JpegLearnTest, ARegionOfWhatWasLearntIsReadAlone) {
  const Bytes file = encode_jpeg(draw_image(150, 200, 3), {.subsampling = Subsampling::s420});
  const auto index = JpegIndex::in_memory();
  EXPECT_EQ(learn_jpeg(file, *index).result, JpegLearnt::known);
  for (const Rectangle w :
       {Rectangle{100, 150, 50, 50}, Rectangle{0, 0, 20, 20}, Rectangle{149, 0, 1, 200}}) {
    const DecodeOutcome part = outcome_of(file, w, {}, JpegEntropyDecoder::fast, index.get());
    EXPECT_EQ(part.path, JpegPath::indexed);
    EXPECT_TRUE(part.same_as(outcome_of(file, w, {}, JpegEntropyDecoder::library)));
  }
}

// A region that was decoded before leaves a part, which learning completes.
TEST_F(JpegLearnTest, CompletesWhatIsKnownInPart) {
  const Bytes file = encode_jpeg(draw_image(150, 200, 3), {.subsampling = Subsampling::s444});
  const auto index = JpegIndex::in_memory();
  outcome_of(file, Rectangle{30, 20, 40, 40}, {}, JpegEntropyDecoder::fast, index.get());
  const std::int64_t part = index->records();
  EXPECT_GT(part, 0);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(learn_jpeg(file, *index).result, JpegLearnt::known);
    EXPECT_EQ(index->records(), 19 * 2);  // rows of groups times every 16th group of 25
  }
  EXPECT_LT(part, index->records());
}

TEST_F(JpegLearnTest, SaysWhyAFileCannotBeLearnt) {
  const Image image = draw_image(60, 90, 3);
  const auto bytes_of = [](const Bytes& file) {
    return std::vector<std::uint8_t>(file.begin(), file.end());
  };
  const auto sound = bytes_of(encode_jpeg(image));
  auto cut = sound;
  cut.resize(cut.size() / 2);
  auto headless = sound;
  headless.resize(10);
  const struct {
    std::vector<std::uint8_t> file;
    JpegOptions options;
    JpegLearnt result;
    const char* reason;
  } cases[] = {
      {sound, {}, JpegLearnt::known, ""},
      {bytes_of(encode_jpeg(image, {.progressive = true})),
       {},
       JpegLearnt::unsuitable,
       "progressive"},
      {cut, {}, JpegLearnt::unusable, "damaged: Premature end of JPEG file"},
      {cut,
       {.damage = DamagePolicy::tolerant},
       JpegLearnt::unusable,
       "damaged: Premature end of JPEG file"},
      {headless, {}, JpegLearnt::unusable, "broken header"},
      {{'n', 'o', ' ', 'j', 'p', 'e', 'g'}, {}, JpegLearnt::unusable, "JPEG"},
      {{}, {}, JpegLearnt::unusable, "empty"},
      {sound, {.max_output_bytes = 1000}, JpegLearnt::unusable, "raise max_output_bytes"},
  };
  for (const auto& c : cases) {
    const auto index = JpegIndex::in_memory();
    const JpegLearnReport report = learn_jpeg(c.file, *index, c.options);
    EXPECT_EQ(report.result, c.result) << report;
    EXPECT_NE(report.reason.find(c.reason), std::string::npos) << report;
    EXPECT_EQ(index->files(), c.result == JpegLearnt::known ? 1 : 0);
  }
}

TEST_F(JpegLearnTest, ABudgetThatIsUsedUpIsSaid) {
  const Bytes file = encode_jpeg(draw_image(60, 90, 3));
  const auto small = JpegIndex::in_memory({.bytes = 100});
  EXPECT_EQ(learn_jpeg(file, *small).result, JpegLearnt::no_room);
  const auto none = JpegIndex::in_memory({.bytes = 0});
  EXPECT_EQ(learn_jpeg(file, *none).result, JpegLearnt::no_room);
}

TEST_F(JpegLearnCorpus, EveryFileLeavesWhatDecodingLeaves) {
  if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "nothing can be learnt with this libjpeg";
  int known = 0;
  for (const Entry& entry : entries_) {
    if (entry.at("class").starts_with("bad/limit")) continue;
    SCOPED_TRACE(entry.at("path"));
    const File file = read(entry);
    known += check_file(file, {}) ? 1 : 0;
    JpegOptions tolerant;
    tolerant.damage = DamagePolicy::tolerant;
    check_file(file, tolerant);
  }
  EXPECT_GT(known, 500 / part());
}

TEST_F(JpegLearnCorpus, EveryPhotographCanBeLearnt) {
  if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "nothing can be learnt with this libjpeg";
  for (const File& file : photos()) EXPECT_TRUE(check_file(file, {}));
}

TEST_F(JpegLearnCorpus, BombsAreRefused) {
  for (const Entry& entry : entries_of("bad/limit")) {
    const auto index = JpegIndex::in_memory();
    JpegOptions options;
    options.max_output_bytes = std::int64_t{1} << 28;
    EXPECT_NE(learn_jpeg(read(entry), *index, options).result, JpegLearnt::known)
        << entry.at("path");
  }
}

}  // namespace learn_test
}  // namespace sluice
