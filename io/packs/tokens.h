// Tokens: the coding of the coefficients in packed JPEGs. PackTokenLearner makes a dictionary,
// PackTokenWriter writes segments with it, and PackTokens with unpack_group() reads them.
//
// A segment holds a few groups of blocks, and does not depend on other segments. It consists of
// tokens with 12 bits each, and of raw bits. A token stands for a run of zeros, up to 8 further
// coefficients without their signs, and perhaps the end of the block. The dictionary says which.
// Signs are raw bits. The first coefficient of a token may have more raw bits, which are added to
// it. So a large value needs no other kind of code, and the place of every token is known before
// any is read.
//
// tokens.cpp has the format of dictionaries and segments; token_kernels.cpp has the inner loops.
//
// Ownership: values; a reader refers to the bytes of its segment. Threads: PackTokens is immutable;
// each other object belongs to one thread. Errors: PackError for a forged dictionary;
// std::bad_alloc. The functions that read segments do not throw, because libjpeg calls them. They
// set `doubt` for damaged bytes. Whatever the bytes are, nothing is read outside the segment, and
// nothing is written outside the blocks.
#pragma once

#include <sluice/io/jpeg/header.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sluice {

// Packed data that is damaged, forged, or of another version.
class PackError : public JpegError {
 public:
  using JpegError::JpegError;
};

// The quantized coefficients of a block, row by row, as libjpeg has them.
using PackBlock = std::array<std::int16_t, 64>;

// The blocks of a group (an MCU) in the order of the scan.
struct PackLayout {
  static constexpr int kMostBlocks = 10;

  struct Block {
    std::uint8_t component = 0;  // 0 to 3
    bool needed = true;
    bool operator==(const Block&) const = default;
  };
  int blocks = 0;
  Block block[kMostBlocks];

  bool operator==(const PackLayout&) const = default;
};

// One token. Its coefficients follow each other in zigzag order.
struct PackToken {
  static constexpr int kBits = 12;
  static constexpr std::size_t kCount = std::size_t{1} << kBits;  // in a dictionary
  static constexpr std::size_t kMostCoefficients = 8;
  static constexpr int kMostExtraBits = 16;

  std::uint8_t run = 0;     // zeros before the first coefficient
  std::uint8_t length = 0;  // number of coefficients
  std::uint8_t extra = 0;   // raw bits that are added to the first one's magnitude
  std::uint8_t ends = 0;    // 1 if the rest of the block is zero
  std::uint8_t magnitude[kMostCoefficients] = {};  // can be zero between others

  // NOLINTNEXTLINE(modernize-use-nullptr): in what the compiler makes
  friend auto operator<=>(const PackToken&, const PackToken&) = default;

  // The first coefficient has a sign even if its magnitude without the extra bits is zero.
  bool has_sign(std::size_t i) const { return magnitude[i] != 0 || (i == 0 && extra != 0); }
};

// PackTokens: a dictionary, laid out for decoding.
class PackTokens {
 public:
  // Copies the dictionary, and checks all of it.
  explicit PackTokens(std::span<const std::uint8_t> dictionary);

  // True if it was made from these bytes.
  bool is_of(std::span<const std::uint8_t> dictionary) const noexcept;

  struct Entry {
    std::uint8_t magnitude[8];
    std::uint8_t sign[8];  // the sign bit of each coefficient, as a mask
    std::uint8_t run;
    std::uint8_t extra;
    std::uint8_t bits;           // raw bits, all together
    std::uint8_t step;           // run and length, plus 64 if the block ends
    std::int16_t mask;           // after the step: -64 if the block ends, otherwise -1
    std::uint16_t extra_mask;    // of the extra bits
    std::uint32_t signed_lanes;  // bit i: coefficient i has a sign
    std::uint32_t unused;        // 32 bytes in all
  };
  const Entry* entries() const noexcept { return entries_.data(); }

 private:
  std::vector<std::uint8_t> dictionary_;
  std::vector<Entry> entries_;
};

// Reads the groups of one segment.
struct PackTokenReader {
  const std::uint8_t* begin = nullptr;
  const std::uint8_t* end = nullptr;
  std::size_t raw = 0;              // raw bits read
  std::size_t tokens = 0;           // bits of tokens read
  std::int16_t predictors[4] = {};  // DC coefficients of the components
  bool doubt = false;
};

void begin_segment(PackTokenReader& reader, std::span<const std::uint8_t> segment) noexcept;

// Decodes one group. Blocks that are not needed stay as they are; the others are overwritten, or
// in doubt left as they are.
void unpack_group(const PackTokens& tokens, PackTokenReader& reader, const PackLayout& layout,
                  std::int16_t (*const* blocks)[64]) noexcept;
// Skips groups, and keeps only the predictors.
void skip_groups(const PackTokens& tokens, PackTokenReader& reader, const PackLayout& layout,
                 std::uint32_t groups) noexcept;

// True if all bytes of the segment were used up, as they must be after its last group.
bool has_ended(const PackTokenReader& reader) noexcept;

// PackTokenLearner: makes a dictionary from sample images. The same blocks in the same order make
// the same dictionary. Keeps about kMostKept pairs and blocks. If there are more, it drops
// every second segment.
class PackTokenLearner {
 public:
  static constexpr std::size_t kMostKept = std::size_t{1} << 20;

  PackTokenLearner();
  PackTokenLearner(PackTokenLearner&&) noexcept;
  PackTokenLearner& operator=(PackTokenLearner&&) noexcept;
  ~PackTokenLearner();

  // Adds the blocks of a segment, group by group.
  void add(std::span<const PackBlock> blocks, const PackLayout& layout);
  // Returns the dictionary. Without any blocks it is a usable one, too. Returns nothing soon after
  // `stop` becomes true: it is looked at several times a second.
  std::vector<std::uint8_t> learn(const std::atomic<bool>* stop = nullptr) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// PackTokenWriter: writes segments. All blocks can be written, whatever their coefficients are.
class PackTokenWriter {
 public:
  // Throws PackError for a dictionary that is forged, or that cannot express all blocks.
  explicit PackTokenWriter(std::span<const std::uint8_t> dictionary);
  PackTokenWriter(PackTokenWriter&&) noexcept;
  PackTokenWriter& operator=(PackTokenWriter&&) noexcept;
  ~PackTokenWriter();

  // Appends a segment with these blocks, group by group.
  void write(std::span<const PackBlock> blocks, const PackLayout& layout,
             std::vector<std::uint8_t>& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

namespace detail {

// Every segment has at least this many bytes. The inner loops rely on it.
inline constexpr std::size_t kSmallestPackSegment = 20;

// Reads a dictionary. Throws PackError.
std::vector<PackToken> read_pack_dictionary(std::span<const std::uint8_t> dictionary);
std::vector<std::uint8_t> write_pack_dictionary(std::span<const PackToken> tokens);

}  // namespace detail
}  // namespace sluice
