// The inner loops of Sluice's own entropy decoder: groups of blocks out of a run of bits.
//
// Compiled for several processors and chosen at run time: shifts by a variable number of bits make
// up most of the work, and processors with BMI2 do them in one instruction. Ownership: an
// EntropyState refers to tables and bytes that outlive it. Threads: each with a state of its own.
// Errors: none; what a baseline file cannot contain sets `doubt`, and the blocks are then worth
// nothing.
#pragma once

#include <sluice/io/jpeg/huffman.h>

#include <cstdint>

namespace sluice {

// Bytes that may be read beyond the place where a group of blocks begins: 10 blocks with a code of
// 16 bits and 11 or 10 more for each of their 64 coefficients, and what a refill reads ahead.
inline constexpr int kGroupBytes = 2304;

struct EntropyState {
  // The bits that come next, from the upper end of `buffer`; `count` of them are good, and `next`
  // is where the others follow.
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
    bool needed = false;  // of a component that will be shown
  };
  int blocks = 0;  // in a group
  Block block[10];
};

using Coefficients = std::int16_t[64];

// Decodes one group into blocks that are all zero; those of components that are not needed stay so.
void decode_group(EntropyState& state, Coefficients* const* blocks);

// Passes over up to `groups` groups, of which only the predictors are kept. Ends before a group
// that would begin beyond `stop`. Returns how many it has passed.
std::uint32_t skip_groups(EntropyState& state, std::uint32_t groups);

}  // namespace sluice
