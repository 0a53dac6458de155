// BlockShuffle: a new order for the 64 coefficients of a block, as constants for vector
// instructions. Internal: for the kernels that read and write tokens. Constants without state.
#pragma once

#include <cstdint>

namespace sluice {

struct BlockShuffle {
  // Element i of the result is element from[i] of the block.
  alignas(64) std::uint16_t from[64];
  // The same for vectors of 8 elements. For each vector of the result and each vector of the block:
  // which bytes go where. 0x80 selects a zero.
  alignas(16) std::uint8_t bytes[8][8][16];

  constexpr explicit BlockShuffle(const std::uint8_t (&order)[64]) : from{}, bytes{} {
    for (auto& result : bytes)
      for (auto& vector : result)
        for (auto& byte : vector) byte = 0x80;
    for (int i = 0; i < 64; ++i) {
      const int k = from[i] = order[i];
      std::uint8_t* const two = bytes[i / 8][k / 8] + 2 * (i % 8);
      two[0] = static_cast<std::uint8_t>(2 * (k % 8));
      two[1] = static_cast<std::uint8_t>(2 * (k % 8) + 1);
    }
  }
};

}  // namespace sluice
