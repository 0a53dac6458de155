// Reading and writing the scan of an ordinary file: what libjpeg reads and writes, and for odd
// files either the same bytes or nothing.

#include "tests/io/corpus.h"
#include "tests/io/images.h"
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/libjpeg.h>
#include <sluice/io/packs/pack_jpeg.h>
#include <sluice/io/packs/sequential_scan.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace sequential_scan_test {

using Span = std::span<const std::uint8_t>;
using File = std::vector<std::uint8_t>;

File encoded(int height, int width, int channels, const JpegEncodeOptions& options = {}) {
  const Bytes file = encode_jpeg(draw_image(height, width, channels), options);
  return {file.begin(), file.end()};
}

// The header of a file, read by libjpeg, and with read_all() also the coefficients.
class ByLibjpeg {
 public:
  explicit ByLibjpeg(Span file) : file_(file) {
    errors_.install();
    errors_.start_image(true);
    info_.err = &errors_.manager;
    is_read_ = jpeg_guarded(
        errors_,
        [](void* self) noexcept {
          ByLibjpeg& me = *static_cast<ByLibjpeg*>(self);
          jpeg_create_decompress(&me.info_);
          jpeg_mem_src(&me.info_, me.file_.data(), static_cast<unsigned long>(me.file_.size()));
          jpeg_read_header(&me.info_, TRUE);
        },
        this);
    is_read_ = is_read_ && order_.read(info_);
  }
  ByLibjpeg(const ByLibjpeg&) = delete;
  ByLibjpeg& operator=(const ByLibjpeg&) = delete;
  ~ByLibjpeg() { jpeg_destroy_decompress(&info_); }

  bool read_all() {
    blocks_.resize(order_.blocks());
    return jpeg_guarded(
        errors_,
        [](void* self) noexcept {
          ByLibjpeg& me = *static_cast<ByLibjpeg*>(self);
          jvirt_barray_ptr* const arrays = jpeg_read_coefficients(&me.info_);
          copy_blocks<false>(reinterpret_cast<j_common_ptr>(&me.info_), arrays, me.info_.comp_info,
                             me.order_, me.blocks_.data());
        },
        this);
  }
  bool is_read() const { return is_read_; }
  const jpeg_decompress_struct& info() const { return info_; }
  const BlockOrder& order() const { return order_; }
  const std::vector<PackBlock>& blocks() const { return blocks_; }

 private:
  Span file_;
  JpegErrors errors_;
  jpeg_decompress_struct info_{};
  BlockOrder order_;
  bool is_read_ = false;
  std::vector<PackBlock> blocks_;
};

void expect_as_libjpeg(const File& file) {
  const SplitJpeg parts = split_jpeg(file);
  ASSERT_EQ(parts.scans.size(), 1u);
  ByLibjpeg libjpeg(file);
  ASSERT_TRUE(libjpeg.is_read());
  SequentialScan scan;
  ASSERT_TRUE(scan.open(libjpeg.info(), libjpeg.order()));
  std::vector<PackBlock> blocks(libjpeg.order().blocks());
  ASSERT_TRUE(scan.read(parts.scans[0], blocks.data()));
  const std::vector<std::uint8_t> again = scan.write(blocks.data(), parts.scans[0].size());
  EXPECT_TRUE(std::ranges::equal(again, parts.scans[0]));
  EXPECT_TRUE(std::ranges::equal(again, scan.write(blocks.data(), 0)));
  ASSERT_TRUE(libjpeg.read_all());
  EXPECT_TRUE(blocks == libjpeg.blocks());
}

TEST(SequentialScan, ReadsAndWritesAsLibjpeg) {
  constexpr Subsampling kAll[] = {Subsampling::s444, Subsampling::s422, Subsampling::s420,
                                  Subsampling::s440};
  for (const Subsampling subsampling : kAll) {
    for (const int quality : {1, 50, 90, 100}) {
      for (const bool optimize : {false, true}) {
        for (const int rows : {0, 1, 3}) {
          SCOPED_TRACE(quality);
          const JpegEncodeOptions options{.quality = quality,
                                          .subsampling = subsampling,
                                          .optimize = optimize,
                                          .restart_rows = rows};
          expect_as_libjpeg(encoded(73, 187, 3, options));
          expect_as_libjpeg(encoded(41, 90, 1, options));
        }
      }
    }
  }
  expect_as_libjpeg(encoded(1, 1, 3));
  expect_as_libjpeg(encoded(1, 1, 1));
  expect_as_libjpeg(encoded(400, 700, 3, {.quality = 95, .subsampling = Subsampling::s444}));
}

// True if it is packed. Then it must come back. Otherwise there must be a reason.
bool comes_back_or_is_stored(const File& file) {
  std::string why;
  const auto coefficients = JpegCoefficients::read(file, &why);
  if (!coefficients) {
    EXPECT_NE(why, "");
    return false;
  }
  static const std::vector<std::uint8_t> dictionary = PackTokenLearner().learn();
  EXPECT_TRUE(unpack_jpeg(pack_jpeg(*coefficients, dictionary)) == file);
  return true;
}

// Puts a scan with these bits, filled up with `fill`, in place of the one of a gray file.
File with_bits(const std::string& bits, char fill = '1') {
  const File file = encoded(8, 8, 1);
  const SplitJpeg parts = split_jpeg(file);
  File out(parts.pieces[0].begin(), parts.pieces[0].end());
  std::string all = bits;
  while (all.size() % 8 != 0) all += fill;
  for (std::size_t i = 0; i < all.size(); i += 8) {
    out.push_back(static_cast<std::uint8_t>(std::stoi(all.substr(i, 8), nullptr, 2)));
    if (out.back() == 0xff) out.push_back(0);
  }
  out.insert(out.end(), parts.pieces[1].begin(), parts.pieces[1].end());
  return out;
}

// The codes of ITU-R T.81, annex K.
constexpr const char* kNoDifference = "00";
constexpr const char* kEnd = "1010";
constexpr const char* kSixteenZeros = "11111111001";
constexpr const char* kOneBit = "00";

TEST(SequentialScan, CodesThatNoEncoderWritesAreStored) {
  const std::string dc = kNoDifference, one = std::string(kOneBit) + "1";
  EXPECT_TRUE(comes_back_or_is_stored(with_bits(dc + kEnd)));
  EXPECT_TRUE(comes_back_or_is_stored(with_bits(dc + kSixteenZeros + one + kEnd)));
  // Zeros before the end, and no end behind the last coefficient.
  EXPECT_FALSE(comes_back_or_is_stored(with_bits(dc + kSixteenZeros + kEnd)));
  std::string full = dc;
  for (int i = 0; i < 63; ++i) full += one;
  EXPECT_TRUE(comes_back_or_is_stored(with_bits(full)));
  EXPECT_FALSE(comes_back_or_is_stored(with_bits(full + kEnd)));
  // Other bits behind the last code.
  EXPECT_FALSE(comes_back_or_is_stored(with_bits(dc + kEnd, '0')));
  EXPECT_FALSE(comes_back_or_is_stored(with_bits(dc + kEnd + "11111111" + "11111111")));
  // Too few bits.
  EXPECT_FALSE(comes_back_or_is_stored(with_bits(dc)));
}

// Replaces the first Huffman table by one with these symbols, all with codes of 4 bits.
File with_dc_symbols(const std::vector<std::uint8_t>& symbols, std::uint8_t bits) {
  File file = encoded(16, 16, 1);
  std::size_t at = 0;
  while (file[at] != 0xff || file[at + 1] != 0xc4) ++at;
  const std::size_t size = std::size_t{file[at + 2]} * 256 + file[at + 3];
  std::vector<std::uint8_t> table(16);
  table[bits - 1u] = static_cast<std::uint8_t>(symbols.size());
  table.insert(table.begin(),
               {0xff, 0xc4, 0, static_cast<std::uint8_t>(19 + symbols.size()), 0x00});
  table.insert(table.end(), symbols.begin(), symbols.end());
  const auto begin = file.begin() + static_cast<std::ptrdiff_t>(at);
  file.erase(begin, begin + static_cast<std::ptrdiff_t>(2 + size));
  file.insert(file.begin() + static_cast<std::ptrdiff_t>(at), table.begin(), table.end());
  return file;
}

TEST(SequentialScan, OddHuffmanTablesAreLeftToLibjpeg) {
  const auto opens = [](const File& file) {
    const ByLibjpeg libjpeg(file);
    SequentialScan scan;
    return libjpeg.is_read() && scan.open(libjpeg.info(), libjpeg.order());
  };
  EXPECT_TRUE(opens(with_dc_symbols({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 4)));
  const std::vector<File> odd = {
      with_dc_symbols({0, 0, 1, 2}, 4),           // a symbol with two codes
      with_dc_symbols({0, 1, 2, 16}, 4),          // a symbol that no table of DC has
      with_dc_symbols({0, 1, 2, 3}, 2),           // a code of ones only
      with_dc_symbols({0, 1, 2, 3, 4, 5, 6}, 2),  // more codes than there can be
  };
  for (const File& file : odd) {
    EXPECT_FALSE(opens(file));
    EXPECT_FALSE(comes_back_or_is_stored(file));
  }
}

TEST(SequentialScan, OddRestartMarkersAreStored) {
  const File file = encoded(64, 64, 3, {.restart_rows = 1});
  EXPECT_TRUE(comes_back_or_is_stored(file));
  std::vector<std::size_t> markers;
  for (std::size_t i = 600; i + 1 < file.size(); ++i)
    if (file[i] == 0xff && file[i + 1] >= 0xd0 && file[i + 1] <= 0xd7) markers.push_back(i);
  ASSERT_GE(markers.size(), 3u);
  const auto at = static_cast<std::ptrdiff_t>(markers[1]);
  File odd = file;
  odd.erase(odd.begin() + at, odd.begin() + at + 2);
  EXPECT_FALSE(comes_back_or_is_stored(odd)) << "missing";
  odd = file;
  odd[markers[1] + 1] ^= 1;
  EXPECT_FALSE(comes_back_or_is_stored(odd)) << "another number";
  odd = file;
  odd.insert(odd.begin() + at, {0xff, 0xd1});
  EXPECT_FALSE(comes_back_or_is_stored(odd)) << "twice";
  odd = encoded(64, 64, 3);
  odd.insert(odd.end() - 200, {0xff, 0xd0});
  EXPECT_FALSE(comes_back_or_is_stored(odd)) << "without an interval";
}

// Blocks beyond the image, with coefficients that libjpeg would not write there.
TEST(SequentialScan, BlocksBeyondTheImageMustBeThoseOfLibjpeg) {
  File file = encoded(16, 16, 3, {.subsampling = Subsampling::s420});
  EXPECT_TRUE(comes_back_or_is_stored(file));
  std::size_t at = 0;
  while (file[at] != 0xff || file[at + 1] != 0xc0) ++at;
  file[at + 6] = file[at + 8] = 8;  // height and width
  std::string why;
  EXPECT_FALSE(JpegCoefficients::read(file, &why));
  EXPECT_EQ(why, "its encoder chose other codes than libjpeg would");
}

TEST(SequentialScan, CoefficientsThatNoOrdinaryFileHasAreLeftToLibjpeg) {
  const File file = encoded(8, 8, 1);
  const ByLibjpeg libjpeg(file);
  SequentialScan scan;
  ASSERT_TRUE(scan.open(libjpeg.info(), libjpeg.order()));
  const auto writes = [&](std::size_t place, int value) {
    PackBlock block{};
    block[place] = static_cast<std::int16_t>(value);
    return !scan.write(&block, 100).empty();
  };
  for (const int sign : {1, -1}) {
    EXPECT_TRUE(writes(0, 2047 * sign));
    EXPECT_FALSE(writes(0, 2048 * sign));
    EXPECT_FALSE(writes(0, 32767 * sign));
    EXPECT_TRUE(writes(5, 1023 * sign));
    EXPECT_FALSE(writes(5, 1024 * sign));
    EXPECT_FALSE(writes(63, 32767 * sign));
  }
  EXPECT_FALSE(writes(63, -32768));
}

// Any change of a file: it comes back, or it is stored.
TEST(SequentialScan, ChangedFilesComeBackOrAreStored) {
  const std::vector<File> files = {encoded(40, 60, 3, {.quality = 70}),
                                   encoded(64, 64, 3, {.quality = 90, .restart_rows = 1}),
                                   encoded(33, 47, 1, {.quality = 80})};
  int packed = 0, stored = 0;
  for (std::uint32_t i = 0; i < 800u / static_cast<unsigned>(testing::one_in(1, 4)); ++i) {
    Random random({.seed = 31, .sample = i});
    File file = files[i % files.size()];
    const auto size = static_cast<std::uint32_t>(file.size());
    for (std::uint32_t n = 1 + random.below(2); n > 0; --n) {
      const std::uint32_t at = i % 4 == 0 ? random.below(std::min(size, 620u)) : random.below(size);
      file[at] = static_cast<std::uint8_t>(i % 2 == 0 ? random.below(256)
                                                      : file[at] ^ 1u << random.below(8));
    }
    ++(comes_back_or_is_stored(file) ? packed : stored);
  }
  EXPECT_GT(packed, 50);
  EXPECT_GT(stored, 50);
}

class SequentialScanCorpus : public JpegCorpus {};

TEST_F(SequentialScanCorpus, PhotographsAreReadAndWrittenAsByLibjpeg) {
  for (const File& file : photos()) expect_as_libjpeg(file);
}

}  // namespace sequential_scan_test
}  // namespace sluice
