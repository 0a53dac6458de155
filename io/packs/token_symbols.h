// PackSymbols: the blocks of a segment as symbols, from which tokens are made. Internal: for the
// writer and the learner of tokens.
//
// A symbol is a run of zeros with the coefficient behind it, in zigzag order, or the end of a
// block. It has two codes: one for a symbol that begins a token, and one for a symbol within a
// token. Magnitudes below 32 are a class each. Larger ones share classes and have extra bits. The
// last class has all magnitudes, with 16 extra bits.
//
// Example: DC is -2, then two zeros, 1, and only zeros. The symbols are (run 0, magnitude 2),
// (run 2, magnitude 1) and the end. The first one is negative.
//
// token_symbols.cpp has the inner loops. list_nonzeros() is also for the writer of Huffman codes.
//
// Ownership: values. Threads: each object belongs to one thread. Errors: std::bad_alloc.
#pragma once

#include <sluice/io/packs/tokens.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice {

struct MagnitudeClass {
  std::uint8_t base;
  std::uint8_t extra;
};
struct MagnitudeClasses {
  static constexpr std::size_t kExact = 32;  // classes below are magnitudes
  static constexpr std::size_t kAll = 45;    // the last one
  static constexpr std::size_t kCount = kAll + 1;

  MagnitudeClass of_class[kCount];

  constexpr MagnitudeClasses() : of_class{} {
    for (std::size_t i = 0; i < kExact; ++i) of_class[i] = {static_cast<std::uint8_t>(i), 0};
    std::size_t count = kExact;
    // Four classes an octave.
    for (std::uint32_t octave = 5; octave < 8; ++octave)
      for (std::uint32_t quarter = 4; quarter < 8; ++quarter)
        of_class[count++] = {static_cast<std::uint8_t>(quarter << (octave - 2)),
                             static_cast<std::uint8_t>(octave - 2)};
    of_class[count++] = {255, 11};
    of_class[count++] = {0, 16};
  }
};
inline constexpr MagnitudeClasses kMagnitudeClasses;

// A coefficient that is not zero: bits 0 to 15 have its magnitude, 16 to 22 its place in zigzag
// order plus 1, and bit 31 is set if it is negative.
struct Nonzero {
  static constexpr std::uint32_t kNegative = std::uint32_t{1} << 31;

  static std::uint32_t magnitude(std::uint32_t nonzero) { return nonzero & 0xffff; }
  static std::uint32_t end(std::uint32_t nonzero) { return nonzero >> 16 & 127; }
};
// The nonzero coefficients of a block, and room behind them.
using NonzeroList = std::uint32_t[64 + 16];

// Lists the coefficients that are not zero in zigzag order, and returns their number. `dc` replaces
// the block's first coefficient.
std::size_t list_nonzeros(const PackBlock& block, std::int16_t dc, NonzeroList& list);

struct PackSymbols {
  // Codes within a token. Others are run * 32 + magnitude, for runs below 8 and magnitudes
  // below 32.
  static constexpr std::uint8_t kEnd = 0;      // the end of a block
  static constexpr std::uint8_t kFar = 32;     // a run or a magnitude that is too large
  static constexpr std::uint8_t kBegins = 64;  // the first symbol of a block
  static constexpr std::uint32_t kNearRuns = 8;
  // So many kBegins are behind the last symbol.
  static constexpr std::size_t kBehind = 8;

  static constexpr std::uint16_t first_code(std::uint32_t run, std::size_t type) {
    return static_cast<std::uint16_t>(run << 6 | type);
  }
  static constexpr std::uint8_t later_code(std::uint32_t run, std::uint32_t magnitude) {
    return static_cast<std::uint8_t>(run << 5 | magnitude);
  }

  std::size_t count = 0;
  std::vector<std::uint16_t> first;  // the code at the begin of a token; 0 for the end of a block
  std::vector<std::uint8_t> later;   // the code within a token
  std::vector<std::uint16_t> more;   // the magnitude without the base of its class
  std::vector<std::uint64_t> negative;  // a bit for each symbol

  // Reads the blocks of a segment, group by group.
  void read(std::span<const PackBlock> blocks, const PackLayout& layout);
};

}  // namespace sluice
