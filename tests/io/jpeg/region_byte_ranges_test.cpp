// Regions of files on demand: which bytes are read, and that pixels come from no others.
#include "tests/io/corpus.h"
#include "tests/io/decode_outcome.h"
#include "tests/io/images.h"
#include "tests/one_in.h"
#include <sluice/io/images/decode_image.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/orientation.h>
#include <sluice/io/jpeg/self_test.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace region_byte_ranges_test {

// Fills the parts that have not been read with other codes, which look like those of an image.
Bytes other_codes(std::size_t size) {
  static const Bytes other = encode_jpeg(draw_image(300, 400, 3, 77));
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i)
    bytes.data()[i] = std::as_const(other).data()[700 + i % (other.size() - 800)];
  return bytes;
}

class Memory : public ByteSource {
 public:
  Memory(std::span<const std::uint8_t> file, std::vector<ByteRange>& read, int& times)
      : file_(file), read_(read), times_(times) {}
  void read(std::span<const ByteRange> parts, std::span<std::uint8_t> whole) override {
    ++times_;
    for (const ByteRange& part : parts) {
      std::copy_n(file_.data() + part.begin, part.size(), whole.data() + part.begin);
      read_.push_back(part);
    }
  }

 private:
  std::span<const std::uint8_t> file_;
  std::vector<ByteRange>& read_;
  int& times_;
};

// A file that the index knows, and whose header has been read.
struct OnDemand {
  OnDemand(std::span<const std::uint8_t> file, const std::shared_ptr<JpegIndex>& index,
           std::optional<std::size_t> there = {})
      : known(index->find(digest_of(file))), header(known->records.front().place / 8) {
    Bytes some = other_codes(file.size());
    const std::size_t first = there.value_or(header);
    std::copy_n(file.data(), first, some.data());
    bytes = Bytes::on_demand(std::move(some), first, std::make_unique<Memory>(file, read, times));
    bytes.set_index(index, digest_of(file).hash);
  }
  std::size_t bytes_read() const {
    std::size_t sum = 0;
    for (const ByteRange& part : read) sum += part.size();
    return sum;
  }

  std::vector<ByteRange> read;
  int times = 0;
  std::optional<JpegIndexEntry> known;
  std::size_t header;
  Bytes bytes;
};

std::shared_ptr<JpegIndex> index_of(std::span<const std::uint8_t> file, std::uint32_t grain = 16) {
  auto index = JpegIndex::in_memory({.grain = grain});
  EXPECT_EQ(learn_jpeg(file, *index).result, JpegLearnt::known);
  return index;
}

// Returns the bytes from the first code of the uppermost row of groups that the region touches, or
// the one above, to the last one of the row below, but no column further than a record away. This
// is the index's information, computed in another way than in the decoder. The limit for one row is
// its own bytes.
std::size_t most_bytes(const JpegIndexEntry& known, std::size_t file_bytes, const Rectangle& region,
                       int group_height, int group_width) {
  const auto rows = static_cast<int>((known.records.size() + known.per_row - 1) / known.per_row);
  const int grain = static_cast<int>(known.grain) * group_width;
  const int top = std::max(region.y / group_height - 1, 0);
  const int bottom = std::min((region.y + region.height - 1) / group_height + 1, rows - 1);
  const int left = std::max(region.x - 4 * group_width, 0) / grain;
  const int right = (region.x + region.width - 1 + 4 * group_width) / grain + 1;
  std::size_t sum = 0;
  std::size_t end = 0;
  for (int row = top; row <= bottom; ++row) {
    const auto at = [&](int column) {
      const int record = std::min(row * static_cast<int>(known.per_row) + column,
                                  (row + 1) * static_cast<int>(known.per_row));
      return static_cast<std::size_t>(record) < known.records.size()
                 ? known.records[static_cast<std::size_t>(record)].place / 8 + std::size_t{2}
                 : file_bytes;
    };
    const std::size_t begin = at(left) - 2;
    // Includes the gap to the row before, if that is read along.
    sum += at(right) - begin;
    if (end > 0 && begin > end && begin - end <= Bytes::kReadGap) sum += begin - end;
    end = at(right);
  }
  return sum;
}

JpegReport decoded(const Bytes& file, const Rectangle& region, int shrink,
                   const JpegOptions& options, Image& out) {
  return shrink > 1 ? decode_jpeg_shrunk(file, region, shrink, options, out)
                    : decode_jpeg_region(file, region, options, out);
}

void expect_region(std::span<const std::uint8_t> file, const std::shared_ptr<JpegIndex>& index,
                   const Rectangle& region, int shrink, const JpegOptions& options) {
  OnDemand parts(file, index);
  DecodeOutcome plain = outcome_of(file, region, options, kLibrary, nullptr, shrink);
  ASSERT_EQ(plain.error, "");
  Image image;
  const JpegReport report = decoded(parts.bytes, region, shrink, options, image);
  ASSERT_TRUE(image == plain.image) << region.y << " " << region.x << " " << region.height << " "
                                    << region.width << " shrunk by " << shrink;
  EXPECT_EQ(report.covered, plain.covered);
  ASSERT_EQ(report.path, JpegPath::indexed);
  ASSERT_LE(parts.times, 1) << "a part was missing, so that all was read";
}

constexpr Subsampling kSamplings[] = {Subsampling::s444, Subsampling::s422, Subsampling::s420,
                                      Subsampling::s440};

class JpegParts : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "nothing can be learnt with this libjpeg";
  }
};

TEST_F(JpegParts, RandomRegionsReadWhatTheIndexSays) {
  Random random({.seed = 5});
  for (const Subsampling sampling : kSamplings) {
    for (const int channels : {1, 3}) {
      for (const int restart_rows : {0, 1, 3}) {
        const Image drawn = draw_image(211, 333, channels, 9);
        const Bytes file =
            encode_jpeg(drawn, {.subsampling = sampling, .restart_rows = restart_rows});
        const bool tall = sampling == Subsampling::s420 || sampling == Subsampling::s440;
        const bool wide = sampling == Subsampling::s420 || sampling == Subsampling::s422;
        for (const std::uint32_t grain : {1U, 16U, 0U}) {
          const auto index = index_of(file, grain);
          for (int i = 0; i < 14; ++i) {
            const Rectangle region = any_region(random, 211, 333, i % 2 == 1);
            JpegOptions options;
            options.color = i % 5 == 0 ? ColorSpace::gray : ColorSpace::rgb;
            ASSERT_NO_FATAL_FAILURE(expect_region(file, index, region, 1, options));
            ASSERT_NO_FATAL_FAILURE(
                expect_region(file, index, region, std::array{2, 4, 8}[i % 3], options));
            OnDemand parts(file, index);
            Image image;
            decode_jpeg_region(parts.bytes, region, options, image);
            EXPECT_LE(parts.bytes_read(),
                      most_bytes(*parts.known, file.size(), region, tall && channels == 3 ? 16 : 8,
                                 wide && channels == 3 ? 16 : 8));
            for (const ByteRange& part : parts.read) EXPECT_GE(part.begin, parts.header);
          }
        }
      }
    }
  }
}

// Every upper and lower edge: they decide which rows the library reads.
TEST_F(JpegParts, EveryEdgeOfRows) {
  for (const Subsampling sampling : kSamplings) {
    const Bytes file = encode_jpeg(draw_image(70, 60, 3, 3), {.subsampling = sampling});
    const auto index = index_of(file, 1);
    for (int y = 0; y < 70; ++y)
      for (int height = 1; height <= 70 - y; height += height < 20 ? 1 : 7)
        ASSERT_NO_FATAL_FAILURE(expect_region(file, index, {y, 20, height, 15}, 1, {}));
  }
}

// A byte 0xff at the very end of a part: the zero after it says that it is one.
TEST_F(JpegParts, PartsThatEndInTheMiddleOfAStuffedByte) {
  const Bytes file = encode_jpeg(draw_image(400, 400, 3, 8), {.subsampling = Subsampling::s444});
  const auto index = index_of(file, 1);
  const JpegIndexEntry known = *index->find(digest_of(file));
  int found = 0;
  for (std::uint32_t i = 0; i < known.records.size(); ++i) {
    const int column = static_cast<int>(i % known.per_row);
    const std::uint32_t place = known.records[i].place;
    if (column == 0 || place % 8 == 0 || file.begin()[place / 8] != 0xff) continue;
    ++found;
    const int row = static_cast<int>(i / known.per_row);
    // Up to the group before.
    ASSERT_NO_FATAL_FAILURE(expect_region(file, index, {8 * row + 2, 8 * column - 6, 3, 4}, 1, {}));
  }
  EXPECT_GT(found, 0);
}

TEST_F(JpegParts, OneRowOfATallImageIsALittleOfIt) {
  const Bytes file = encode_jpeg(draw_image(1600, 400, 3), {.subsampling = Subsampling::s444});
  const auto index = index_of(file);
  OnDemand parts(file, index);
  Image image;
  decode_jpeg_region(parts.bytes, {801, 100, 5, 100}, {}, image);
  EXPECT_EQ(parts.read.size(), 1U);
  EXPECT_LT(parts.bytes_read() * 200, file.size()) << "1 of 200 rows, and a part of that";
  // Bytes that are there are not read again.
  const std::size_t before = parts.bytes_read();
  decode_jpeg_region(parts.bytes, {803, 110, 2, 50}, {}, image);
  EXPECT_EQ(parts.bytes_read(), before);
  // Neighboring rows come in one go.
  OnDemand more(file, index);
  decode_jpeg_region(more.bytes, {400, 100, 400, 200}, {}, image);
  EXPECT_EQ(more.read.size(), 1U);
  EXPECT_LT(more.bytes_read() * 3, file.size());
}

TEST_F(JpegParts, TurnedImagesToo) {
  const Bytes plain = encode_jpeg(draw_image(150, 260, 3));
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const auto exif = make_exif_orientation(orientation);
    std::vector<std::uint8_t> file(plain.begin(), plain.begin() + 2);
    file.insert(file.end(), {0xff, 0xe1, 0, static_cast<std::uint8_t>(exif.size() + 2)});
    file.insert(file.end(), exif.begin(), exif.end());
    file.insert(file.end(), plain.begin() + 2, plain.end());
    const auto index = index_of(file);
    OnDemand parts(file, index);
    EXPECT_EQ(peek_jpeg(parts.bytes).orientation, orientation);
    EXPECT_EQ(peek_image(parts.bytes).height, orientation >= 5 ? 260 : 150);
    EXPECT_EQ(parts.read.size(), 0U) << "a header is there";
    ASSERT_NO_FATAL_FAILURE(expect_region(file, index, {20, 30, 60, 50}, 1, {}));
    Image image;
    EXPECT_EQ(decode_image_region(parts.bytes, {20, 30, 30, 30}, {}, image)->path,
              JpegPath::indexed);
    EXPECT_LT(parts.bytes_read() * 2, file.size());
  }
}

// A decode that needs the whole file reads it all.
TEST_F(JpegParts, WholeImagesReadAll) {
  const Bytes file = encode_jpeg(draw_image(150, 260, 3));
  const auto index = index_of(file);
  Image whole;
  decode_jpeg_image(std::span<const std::uint8_t>(file), {}, whole);
  const Rectangle all{0, 0, 150, 260};
  const Rectangle some{10, 10, 20, 20};
  const struct {
    std::optional<Rectangle> region;
    JpegOptions options;
  } kCases[] = {{{}, {}},
                {some, {.verify = true}},
                {some, {.entropy = JpegEntropyDecoder::library}},
                {all, {.verify = true}}};
  for (const auto& c : kCases) {
    OnDemand parts(file, index);
    Image image;
    if (c.region) {
      decode_jpeg_region(parts.bytes, *c.region, c.options, image);
    } else {
      decode_jpeg_image(parts.bytes, c.options, image);
    }
    const Rectangle w = c.region.value_or(all);
    EXPECT_TRUE(image == whole.crop_view(w.y, w.x, w.height, w.width));
    EXPECT_EQ(parts.bytes_read(), file.size() - parts.header);
  }
  // Without the hash, and with a header that has not been read.
  for (const bool hash : {false, true}) {
    OnDemand parts(file, index, hash ? 1 : 500);
    if (!hash) parts.bytes.set_index(index);
    Image image;
    decode_jpeg_region(parts.bytes, some, {}, image);
    EXPECT_TRUE(image == whole.crop_view(10, 10, 20, 20));
    EXPECT_FALSE(parts.bytes.is_on_demand());
  }
  OnDemand wrong(file, index);
  EXPECT_THROW(decode_jpeg_region(wrong.bytes, {0, 0, 151, 1}, {}, whole), JpegError);
}

// A wrong index: of another image, cut short, or with other places in it.
TEST_F(JpegParts, AnIndexThatDoesNotFitCostsTimeAndNoPixels) {
  const Bytes file = encode_jpeg(draw_image(150, 260, 3));
  const Rectangle region{40, 50, 60, 70};
  const Image right = outcome_of(file, region, {}, kLibrary).image;
  const auto good = index_of(file);
  const JpegIndexEntry known = *good->find(digest_of(file));
  using Notes = JpegIndexNotes;
  void (*const kChanges[])(Notes&) = {
      [](Notes& n) { n.records.front().place = 8 * 2; },
      [](Notes& n) { n.records.front().place = 8 * 300; },
      [](Notes& n) { n.records.front().place += 8; },
      [](Notes& n) { n.records.front().place += 1; },
      [](Notes& n) { n.records.front().place = ~0U; },
      [](Notes& n) { std::reverse(n.records.begin() + 1, n.records.end()); },
      [](Notes& n) { n.records.resize(3); },
      [](Notes& n) { n.records.resize(1); },
      [](Notes& n) { n.per_row += 1; },
      [](Notes& n) { n.grain = 3; },
      [](Notes& n) { n.grain = 0; },
      [](Notes& n) { n.records.resize(n.records.size() * 2); },
      [](Notes& n) {
        for (std::size_t i = 1; i < n.records.size(); ++i) n.records[i].place = ~0U;
      },
  };
  for (std::size_t i = 0; i < std::size(kChanges); ++i) {
    for (const bool complete : {false, true}) {
      Notes notes{known.grain, known.per_row, {known.records.begin(), known.records.end()}};
      kChanges[i](notes);
      auto index = JpegIndex::in_memory();
      index->keep(digest_of(file), std::move(notes), complete);
      OnDemand parts(file, index,
                     std::min<std::size_t>(index->find(digest_of(file))->records.front().place / 8,
                                           file.size()));
      Image image;
      decode_jpeg_region(parts.bytes, region, {}, image);
      EXPECT_TRUE(image == right) << i;
    }
  }
}

// For rows that the index has not learnt yet, all of the file is read. For others, only their own
// parts are.
TEST_F(JpegParts, AnIndexThatLearnsIsOfUseForTheRowsThatItKnows) {
  const Bytes file = encode_jpeg(draw_image(400, 260, 3), {.subsampling = Subsampling::s420});
  const auto index = JpegIndex::in_memory();
  Image image;
  decode_jpeg_region(std::span<const std::uint8_t>(file), {0, 0, 100, 260}, {}, image, index.get());
  ASSERT_FALSE(index->find(digest_of(file))->complete);
  ASSERT_NO_FATAL_FAILURE(expect_region(file, index, {10, 10, 50, 90}, 1, {}));
  OnDemand below(file, index);
  decode_jpeg_region(below.bytes, {300, 10, 50, 90}, {}, image);
  EXPECT_FALSE(below.bytes.is_on_demand());
  EXPECT_TRUE(image == outcome_of(file, Rectangle{300, 10, 50, 90}, {}, kLibrary).image);
  // The index knows them now.
  ASSERT_NO_FATAL_FAILURE(expect_region(file, index, {200, 10, 50, 90}, 1, {}));
}

TEST_F(JpegParts, WhatTheSourceThrowsIsTheError) {
  class Broken : public ByteSource {
    void read(std::span<const ByteRange>, std::span<std::uint8_t>) override {
      throw std::runtime_error("the disk is gone");
    }
  };
  const Bytes file = encode_jpeg(draw_image(150, 260, 3));
  const auto index = index_of(file);
  const std::size_t header = index->find(digest_of(file))->records.front().place / 8;
  Bytes bytes = Bytes::on_demand(Bytes::copy_of(file), header, std::make_unique<Broken>());
  bytes.set_index(index, digest_of(file).hash);
  EXPECT_EQ(peek_jpeg(bytes).width, 260);
  Image image;
  EXPECT_THROW(decode_jpeg_region(bytes, {3, 4, 5, 6}, {}, image), std::runtime_error);
  EXPECT_TRUE(image.empty());
  EXPECT_THROW(decode_jpeg_image(bytes, {}, image), std::runtime_error);
}

class PartsOfCorpus : public JpegCorpus {};

void expect_regions(const File& file, Random& random) {
  const auto index = JpegIndex::in_memory();
  if (learn_jpeg(file, *index).result != JpegLearnt::known) return;
  const JpegHeader header = peek_jpeg(file);
  for (int i = 0; i < 20; ++i) {
    const Rectangle region =
        any_region(random, header.oriented_height(), header.oriented_width(), i % 4 == 3);
    const int shrink = std::array{1, 1, 2, 4, 8}[static_cast<std::size_t>(i % 5)];
    OnDemand parts(file, index);
    const DecodeOutcome plain = outcome_of(file, region, {}, kFast, index.get(), shrink);
    Image image;
    const JpegReport report = decoded(parts.bytes, region, shrink, {}, image);
    ASSERT_TRUE(image == plain.image);
    EXPECT_EQ(report.path, plain.path);
    EXPECT_LE(parts.times, 1);
    EXPECT_LE(parts.bytes_read(), file.size() - parts.header);
    // For images with several groups in each direction, less than half of the file is read.
    const bool part = region.height < header.oriented_height() / 4 &&
                      region.width < header.oriented_width() / 4 && header.height > 300;
    EXPECT_LT(part && shrink == 1 ? parts.bytes_read() * 2 : 0, file.size());
  }
}

TEST_F(PartsOfCorpus, RegionsOfRealFiles) {
  if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "nothing can be learnt with this libjpeg";
  Random random({.seed = 31});
  for (std::size_t i = 0; i < entries_.size(); i += std::size_t(testing::one_in(8, 8))) {
    SCOPED_TRACE(entries_[i].at("path"));
    ASSERT_NO_FATAL_FAILURE(expect_regions(read(entries_[i]), random));
  }
  for (const File& file : photos()) ASSERT_NO_FATAL_FAILURE(expect_regions(file, random));
}

}  // namespace region_byte_ranges_test
}  // namespace sluice
