// The coefficients of blocks that are not zero, as symbols: for packing. PackSymbols has those from
// which tokens are made, and put_block() writes a block with Huffman codes. Internal: for the
// writer and the learner of tokens, and for the writer of scans.
//
// A symbol is a run of zeros with the coefficient behind it, in zigzag order, or the end of a
// block.
//
// Symbols of tokens have two codes: one at the begin of a token, and one within it. Magnitudes
// below 32 are a class each. Larger ones share classes and have extra bits. The last class has all
// magnitudes, with 16 extra bits.
//
// Example: DC is -2, then two zeros, 1, and only zeros. The symbols are (run 0, magnitude 2),
// (run 2, magnitude 1) and the end. The first one is negative.
//
// Ownership: values. Threads: each object belongs to one thread. Errors: std::bad_alloc.
#pragma once

#include <sluice/io/packs/tokens.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

struct PackSymbols {
  // Codes within a token. Others are run * 32 + magnitude, for runs below 8 and magnitudes
  // below 32.
  static constexpr std::uint8_t kEnd = 0;      // the end of a block
  static constexpr std::uint8_t kFar = 32;     // a run or a magnitude that is too large
  static constexpr std::uint8_t kBegins = 64;  // the first symbol of a block
  static constexpr std::uint32_t kNearRuns = 8;
  // The most symbols of a token besides the first one. So many kBegins are behind the last symbol.
  static constexpr std::size_t kLongest = 8;
  // A loop takes so many symbols at once.
  static constexpr std::size_t kMostLanes = 32;
  // So many codes can be read behind the last symbol.
  static constexpr std::size_t kBehind = kLongest + kMostLanes;

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

// The codes of a Huffman table, laid out for encoding. For each symbol: bits 0 to 4 the length of
// its code and the bits behind it, together. Then the code, with zeros in place of these bits. 0 if
// there is no code.
struct HuffmanCodes {
  std::uint32_t codes[256];
};

// A sequence of bits in the order of JPEG: the highest one of a byte first.
struct HuffmanBits {
  std::uint8_t* next = nullptr;  // full bytes end here
  std::uint64_t buffer = 0;      // the bits behind them, from its upper end
  std::uint32_t filled = 0;      // their number, less than 8

  // Puts 0 to 32 bits. Stores 8 bytes.
  void put(std::uint32_t value, std::uint32_t bits) {
    filled += bits;
    buffer |= std::uint64_t{value} << 1 << (63 - filled);
    const std::uint64_t word =
        std::endian::native == std::endian::little ? __builtin_bswap64(buffer) : buffer;
    std::memcpy(next, &word, sizeof word);
    next += filled / 8;
    buffer <<= filled & ~7u;
    filled %= 8;
  }
};

// The most bytes of a block: at worst 64 codes of 16 bits, and up to 11 bits behind each.
inline constexpr std::size_t kMostHuffmanBytes = 64 * (16 + 11) / 8;

// Puts a block. `difference`: of its DC. Returns false if a coefficient has more bits than an
// ordinary file can have, or a symbol has no code. Then the bits are undefined. Stores up to 8
// bytes behind those of the block.
bool put_block(const PackBlock& block, std::int32_t difference, const HuffmanCodes& dc,
               const HuffmanCodes& ac, HuffmanBits& bits);

}  // namespace sluice
