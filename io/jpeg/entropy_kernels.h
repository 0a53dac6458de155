// The inner loops of Sluice's own entropy decoder: they decode groups of blocks from a bit stream.
//
// They are compiled for several processors and chosen at run time. Shifts by a variable number of
// bits make up most of the work, and processors with BMI2 do them in one instruction. Ownership: an
// EntropyState refers to tables and bytes that must outlive it. Threads: each with its own state.
// Errors: none. Data that a baseline file cannot contain sets `doubt`, and the blocks are then
// undefined.
#pragma once

#include <sluice/io/jpeg/huffman.h>

#include <cstdint>

namespace sluice {

// The most bytes that may be read past the beginning of a group of blocks: 10 blocks with a code of
// 16 bits and 11 or 10 extra bits for each of their 64 coefficients, and the bytes that a refill
// reads ahead.
inline constexpr int kGroupBytes = 2304;

struct EntropyState {
  // `buffer` holds the next bits, from its upper end; `count` of them are valid. `next` points to
  // the bytes that follow them.
  std::uint64_t buffer = 0;
  std::uint32_t count = 0;
  const std::uint8_t* next = nullptr;
  const std::uint8_t* stop = nullptr;  // no group may begin with `next` here or beyond
  std::int32_t predictors[4] = {};     // of the components in the scan
  std::uint32_t doubt = 0;

  struct Block {
    const HuffmanLookup* dc = nullptr;
    const HuffmanLookup* ac = nullptr;
    std::uint32_t component = 0;
    bool needed = false;  // its component is in the output
  };
  int blocks = 0;  // in a group
  Block block[10];
};

using Coefficients = std::int16_t[64];

// Decodes one group into zeroed blocks. Blocks of components that are not needed stay zero.
void decode_group(EntropyState& state, Coefficients* const* blocks);

// Skips up to `groups` groups, keeping only the predictors. Stops before a group that would begin
// beyond `stop`. Returns the number of groups skipped.
std::uint32_t skip_groups(EntropyState& state, std::uint32_t groups);

}  // namespace sluice
