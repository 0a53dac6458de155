// HuffmanLookup: one Huffman table of a JPEG file, laid out for decoding.
//
// The first bits of what comes next lead to an entry which says all that is needed of the symbol:
// how many bits it and its extra bits take together, how far it moves on in zigzag order, how many
// extra bits it has and where they begin. So a symbol costs one look-up and no branch; the only
// thing that a processor cannot foresee is where a block ends. Codes that are longer than those
// bits are rare and are looked for in canonical order.
//
// An AC table has entries for two symbols: where the first one, with its extra bits, and the code
// of the next one lie within kPairBits bits, which most do, both cost one look-up.
//
// Symbols that no 8-bit baseline file has (more than 11 extra bits for DC, more than 10 for AC) and
// codes that do not exist are marked: whoever meets one leaves the file to libjpeg.
//
// Ownership: plain data. Threads: immutable once made.
#pragma once

#include <cstdint>
#include <cstdio>

#include <jpeglib.h>

namespace sluice {

struct HuffmanLookup {
  static constexpr int kBits = 9;       // of a code that `entries` has
  static constexpr int kPairBits = 10;  // that lead to one of `pairs`
  // Steps in zigzag order: 1 for DC, the run and 1 for AC, 64 for what must not be. The end of a
  // block has its upper bit set, and 63 besides: added to a place within a block it leads into the
  // next one.
  static constexpr std::uint32_t kDoubtful = 64;
  static constexpr std::uint32_t kEndOfBlock = 128 + 63;
  // The most that a pair steps: 16 and the end of a block.
  static constexpr std::uint32_t kFarthest = 16 + kEndOfBlock;

  // An entry: bits 0..7 code and extra bits together, 8..15 step, 16..23 extra bits, 24..30 code
  // bits, 31 whether it is doubtful. 0 for the beginning of a longer code.
  std::uint32_t entries[1 << kBits];
  std::uint32_t max_code[17];  // of each length, or what is below the first; as 16 bits to the left
  std::int32_t offset[17];     // from a code of that length to its symbol
  std::uint32_t symbols[256];  // entries without the bits of the code

  // Of AC. A pair: bits 0..7 all that it takes, 8..15 the first step, 16..23 both steps, 24..31 63
  // less the extra bits of the second symbol, 32..39 where these begin, 40..47 what the first
  // symbol takes, 48..63 its value. A symbol that is alone stands as if it were the second after
  // one that steps as far as itself: bits 0..7 and 40..47 are the same then, and so are the steps.
  // kLongCode for the beginning of a longer code: to its reader the end of a block.
  static constexpr std::uint64_t kLongCode =
      std::uint64_t{63} << 24 | kEndOfBlock << 16 | kEndOfBlock << 8;
  std::uint64_t pairs[1 << kPairBits];

  enum class Kind : std::uint8_t { dc, ac };

  // `table` must be one that libjpeg has accepted.
  void build(const JHUFF_TBL& table, Kind kind);

  // The entry for a code longer than kBits at the upper end of `buffer`.
  std::uint32_t find_long(std::uint64_t buffer) const noexcept;
  // The same as a pair.
  std::uint64_t find_long_alone(std::uint64_t buffer) const noexcept;

 private:
  void build_pairs();
};

}  // namespace sluice
