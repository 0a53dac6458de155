// Images whose rows are decoded while they are used: the pixels, reports and errors equal those of
// a decode at once, however the rows are requested and whatever is wrong with the file.
#include "tests/io/corpus.h"
#include "tests/io/decode_outcome.h"
#include "tests/io/images.h"
#include "tests/io/jpeg/mutant.h"
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/rows.h>
#include <sluice/io/jpeg/self_test.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace rows_test {

Bytes bytes_of(std::span<const std::uint8_t> file) {
  Bytes bytes(file.size());
  std::copy(file.begin(), file.end(), bytes.data());
  return bytes;
}

// The order in which rows are requested.
struct Use {
  int at_once = 1;  // so many rows are requested before they are copied
  int of = 1;       // only the last of so many groups is requested
  std::ptrdiff_t ring_bytes = 1;
};

struct Used {
  DecodeOutcome outcome;
  int restarts = 0;
};

// Rows that are not requested are copied from `expected`.
Image copy_of_rows(ImageRows& rows, const Use& use, const Image& expected) {
  Image out = expected.height() == rows.height() && expected.width() == rows.width()
                  ? expected.clone()
                  : Image(rows.height(), rows.width(), rows.channels());
  for (int y = 0; y < rows.height(); y += use.at_once) {
    const int end = std::min(y + use.at_once, rows.height());
    if ((y / use.at_once) % use.of != use.of - 1) continue;
    for (int i = y; i < end; ++i) rows.row(i);
    for (int i = y; i < end; ++i) std::memcpy(out.row(i), rows.row(i), out.row_bytes());
  }
  rows.end();
  return out;
}

Used use_rows(const Bytes& file, const std::optional<Rectangle>& region, JpegOptions options,
              const Use& use, const Image& expected) {
  options.apply_orientation = false;
  Used used;
  JpegRows& rows = JpegRows::for_this_thread();
  try {
    EXPECT_TRUE(rows.begin(file, region, options, {.ring_bytes = use.ring_bytes}));
    for (bool done = false; !done;) {
      try {
        used.outcome.image = copy_of_rows(rows, use, expected);
        done = true;
      } catch (const ImageRows::Restarted&) {
        ++used.restarts;
      }
    }
    const JpegReport report = rows.finish();
    used.outcome.covered = report.covered;
    used.outcome.warning = report.warning;
    used.outcome.path = report.path;
  } catch (const JpegError& error) {
    used.outcome = {};
    used.outcome.error = error.what();
  }
  return used;
}

Used expect_same(const Bytes& file, const std::optional<Rectangle>& region,
                 const JpegOptions& options, const Use& use) {
  JpegOptions as_stored = options;
  as_stored.apply_orientation = false;
  DecodeOutcome expected;
  try {
    const JpegReport report = region ? decode_jpeg_region(file, *region, as_stored, expected.image)
                                     : decode_jpeg_image(file, as_stored, expected.image);
    expected.covered = report.covered;
    expected.warning = report.warning;
    expected.path = report.path;
  } catch (const JpegError& error) {
    expected.error = error.what();
  }
  Used used = use_rows(file, region, options, use, expected.image);
  EXPECT_TRUE(used.outcome.same_as(expected)) << used.outcome << ", not " << expected;
  if (expected.error.empty()) {
    EXPECT_EQ(used.outcome.path, expected.path);
  }
  return used;
}

constexpr Use kUses[] = {{},
                         {.at_once = 4},
                         {.at_once = 8},
                         {.of = 3},
                         {.at_once = 8, .of = 9},
                         {.of = 40},
                         {.ring_bytes = 1 << 14},
                         {.at_once = 8, .ring_bytes = 1 << 30}};

std::vector<Bytes> image_files() {
  std::vector<Bytes> files;
  for (const Subsampling s : {Subsampling::s444, Subsampling::s420}) {
    for (const bool progressive : {false, true}) {
      files.push_back(encode_jpeg(
          draw_image(133, 97, 3),
          {.subsampling = s, .progressive = progressive, .restart_rows = progressive ? 0 : 2}));
    }
  }
  files.push_back(encode_jpeg(draw_image(90, 61, 1), {.quality = 95}));
  files.push_back(encode_jpeg(draw_image(5, 300, 3), {}));
  files.push_back(encode_jpeg(draw_image(200, 1, 3), {}));
  return files;
}

TEST(JpegRowsTest, ArePixelsOfTheImage) {
  Random random({.seed = 5});
  const std::vector<Bytes> files = image_files();
  for (const Bytes& file : files) {
    const JpegHeader header = peek_jpeg(file);
    for (const Use& use : kUses) {
      for (const ColorSpace color : {ColorSpace::rgb, ColorSpace::gray}) {
        for (const JpegEntropyDecoder entropy : {kFast, kLibrary}) {
          const JpegOptions options{.color = color, .entropy = entropy};
          EXPECT_EQ(expect_same(file, {}, options, use).restarts, 0);
          const Rectangle region = any_region(random, header.height, header.width, false);
          expect_same(file, region, options, use);
          expect_same(file, region, {.color = color, .verify = true, .entropy = entropy}, use);
        }
      }
    }
  }
}

TEST(JpegRowsTest, OfAnImageThatIsToBeTurnedDoNotBegin) {
  const Bytes file = encode_jpeg(draw_image(30, 40, 3), {.orientation = 6});
  JpegRows& rows = JpegRows::for_this_thread();
  EXPECT_FALSE(rows.begin(file, {}, {}));
  EXPECT_TRUE(rows.begin(file, {}, {.apply_orientation = false}));
  rows.discard();
  expect_same(file, {}, {}, {});
}

TEST(JpegRowsTest, TeachAnIndexAndAreHelpedByIt) {
  if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "not in use with this libjpeg";
  std::vector<Bytes> files = image_files();
  for (Bytes& file : files) {
    const JpegHeader header = peek_jpeg(file);
    if (header.progressive) continue;
    const auto index = JpegIndex::in_memory({.grain = 4});
    file.set_index(index, digest_of(file).hash);
    EXPECT_FALSE(index->find(digest_of(file)).has_value());
    use_rows(file, {}, {}, {.at_once = 4}, {});
    ASSERT_TRUE(index->find(digest_of(file)).has_value());
    EXPECT_TRUE(index->find(digest_of(file))->complete);
    const Rectangle lower{header.height - 2, 0, 2, 1};
    const Used used = expect_same(file, lower, {}, {});
    EXPECT_EQ(used.outcome.path, JpegPath::indexed);
  }
}

// Damage is found by row(), by end(), or when the image begins. A row that was returned before may
// come again.
TEST(JpegRowsTest, OfDamagedFilesEndAsTheDecoderEndsThem) {
  const std::vector<Bytes> files = image_files();
  int restarts = 0, refused = 0, warned = 0;
  for (int i = 0; i < 1200; ++i) {
    SCOPED_TRACE("mutant " + std::to_string(i));
    Random random({.seed = 78, .sample = static_cast<std::uint32_t>(i)});
    const Bytes file =
        bytes_of(jpeg_mutant(files[static_cast<std::size_t>(i) % files.size()], random));
    std::optional<Rectangle> region;
    if (i % 3 == 0) region = Rectangle{1, 0, 3, 1};
    const DamagePolicy damage = i % 2 == 0 ? DamagePolicy::strict : DamagePolicy::tolerant;
    const Use& use = kUses[random.below(std::size(kUses))];
    const Used used = expect_same(file, region, {.damage = damage, .verify = i % 5 == 0}, use);
    if (::testing::Test::HasFailure()) return;
    restarts += used.restarts;
    refused += used.outcome.error.empty() ? 0 : 1;
    warned += used.outcome.warning.empty() ? 0 : 1;
  }
  if (jpeg_entropy_is_usable()) {
    EXPECT_GT(restarts, 20);
  }
  EXPECT_GT(refused, 200);
  EXPECT_GT(warned, 50);
}

// An index that knows another image under the file's name.
TEST(JpegRowsTest, BeginAgainWithoutAnIndexThatIsWrong) {
  if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "not in use with this libjpeg";
  constexpr std::size_t kSize = 30000;
  const auto padded = [](std::uint64_t seed) {  // bytes after the end of a file are not read
    const Bytes file =
        encode_jpeg(draw_image(150, 90, 3, seed), {.subsampling = Subsampling::s444});
    Bytes bytes(kSize);
    std::fill(std::copy(file.begin(), file.end(), bytes.data()), bytes.data() + kSize, 0);
    return bytes;
  };
  const Bytes right = padded(1), wrong = padded(2);
  const auto index = JpegIndex::in_memory({});
  learn_jpeg(wrong, *index);
  ASSERT_TRUE(index->find(digest_of(wrong)).has_value());
  Bytes file = bytes_of(right);
  file.set_index(index, digest_of(wrong).hash);
  int restarts = 0;
  for (const Use& use : kUses) {
    for (int y = 0; y < 140; y += 13) {
      // A wrong index may be believed, but then by the decoder, too.
      restarts += expect_same(file, Rectangle{y, 3, 10, 40}, {}, use).restarts;
    }
  }
  EXPECT_GT(restarts, 0);
}

TEST(JpegRowsTest, OfAFileOnDemandThatCannotBeReadFail) {
  struct Broken : ByteSource {
    void read(std::span<const ByteRange>, std::span<std::uint8_t>) override {
      throw Error("the disk is gone");
    }
  };
  const Bytes file = encode_jpeg(draw_image(150, 90, 3), {});
  const auto index = JpegIndex::in_memory({});
  learn_jpeg(file, *index);
  Bytes broken = Bytes::on_demand(bytes_of(file), 800, std::make_unique<Broken>());
  broken.set_index(index, digest_of(file).hash);
  JpegRows& rows = JpegRows::for_this_thread();
  EXPECT_THROW(rows.begin(broken, Rectangle{100, 0, 20, 20}, {}), Error);
  expect_same(file, {}, {}, {});
}

TEST(JpegRowsTest, AreThoseOfTheThread) {
  const std::vector<Bytes> files = image_files();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (const Bytes& file : files) expect_same(file, {}, {}, {.at_once = 4});
    });
  }
  for (std::thread& thread : threads) thread.join();
}

class JpegRowsCorpus : public JpegCorpus {};

TEST_F(JpegRowsCorpus, EndAsTheDecoderEndsThem) {
  int decoded = 0;
  for (std::size_t i = 0; i < entries_.size(); i += std::size_t(testing::one_in(2, 4))) {
    SCOPED_TRACE(entries_[i].at("path"));
    const Bytes file = bytes_of(read(entries_[i]));
    const DamagePolicy damage = i % 4 < 2 ? DamagePolicy::strict : DamagePolicy::tolerant;
    const Used used = expect_same(file, {}, {.damage = damage}, {.at_once = 4});
    decoded += used.outcome.error.empty() ? 1 : 0;
  }
  EXPECT_GT(decoded, 20);
}

}  // namespace rows_test
}  // namespace sluice
