// HuffmanLookup: one Huffman table of a JPEG file, laid out for decoding.
//
// The next kBits bits select an entry that describes the symbol: the length of its code and extra
// bits together, how far it moves in zigzag order, the number of extra bits and where they begin.
// So a symbol costs one lookup and no branch; a processor can only mispredict where a block ends.
// Codes of more than kBits bits are rare and are searched in canonical order.
//
// An AC table has entries for two symbols. If the first symbol with its extra bits, and the code of
// the next symbol, fit in kPairBits bits, both cost one lookup. Most do.
//
// Symbols that no 8-bit baseline file has (more than 11 extra bits for DC, more than 10 for AC) and
// codes that do not exist are marked. A decoder that meets one leaves the file to libjpeg.
//
// Ownership: plain data. Threads: immutable once made.
#pragma once

#include <cstdint>
#include <cstdio>

#include <jpeglib.h>

namespace sluice {

struct HuffmanLookup {
  static constexpr int kBits = 9;       // bits of the longest code in `entries`
  static constexpr int kPairBits = 10;  // that select one of `pairs`
  // Steps in zigzag order: 1 for DC, the run and 1 for AC, 64 for an invalid symbol. The end of a
  // block has its upper bit set, plus 63: added to a place within a block it leads into the next
  // block.
  static constexpr std::uint32_t kDoubtful = 64;
  static constexpr std::uint32_t kEndOfBlock = 128 + 63;
  // The longest step of a pair: 16 and the end of a block.
  static constexpr std::uint32_t kFarthest = 16 + kEndOfBlock;

  // An entry: bits 0..7 code and extra bits together, 8..15 step, 16..23 extra bits, 24..30 code
  // bits, 31 whether it is doubtful. 0 for the beginning of a longer code.
  std::uint32_t entries[1 << kBits];
  // One past the last code of each length, left-aligned to 16 bits. For a length without codes, the
  // end of the shorter codes.
  std::uint32_t max_code[17];
  std::int32_t offset[17];     // from a code of that length to its symbol
  std::uint32_t symbols[256];  // entries without the code's bits

  // For AC only. A pair: bits 0..7 the length of both symbols, 8..15 the first step, 16..23 both
  // steps, 24..31 63 minus the number of extra bits of the second symbol, 32..39 where these begin,
  // 40..47 the length of the first symbol, 48..63 its value. A single symbol is stored as the
  // second one, after a first one with the same step: bits 0..7 equal 40..47, and both steps are
  // equal. kLongCode marks the beginning of a longer code: the reader treats it as the end of a
  // block.
  static constexpr std::uint64_t kLongCode =
      std::uint64_t{63} << 24 | kEndOfBlock << 16 | kEndOfBlock << 8;
  std::uint64_t pairs[1 << kPairBits];

  enum class Kind : std::uint8_t { dc, ac };

  // `table` must have been accepted by libjpeg.
  void build(const JHUFF_TBL& table, Kind kind);

  // Returns the entry for a code longer than kBits at the upper end of `buffer`.
  std::uint32_t find_long(std::uint64_t buffer) const noexcept;
  // The same, as a pair.
  std::uint64_t find_long_alone(std::uint64_t buffer) const noexcept;

 private:
  void build_pairs();
};

}  // namespace sluice
