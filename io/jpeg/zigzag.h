// JpegZigzag: maps a row and column of a block to the coefficient's position in zigzag order
// (ITU-R T.81, figure 5). JpegNaturalOrder is its inverse. Internal: for decoders and packs.
// Constants without state; kernels use them, too.
#pragma once

#include <cstdint>

namespace sluice {

struct JpegZigzag {
  std::uint8_t at[64];
  constexpr JpegZigzag() : at{} {
    int row = 0, column = 0;
    for (int k = 0; k < 64; ++k) {
      at[8 * row + column] = static_cast<std::uint8_t>(k);
      const bool up = (row + column) % 2 == 0;
      const bool down = up ? column == 7 : column == 0 && row != 7;
      const bool right = up ? row == 0 && column != 7 : row == 7;
      if (down) {
        ++row;
      } else if (right) {
        ++column;
      } else {
        row += up ? -1 : 1;
        column += up ? 1 : -1;
      }
    }
  }
};

// Maps a position in zigzag order to 8 * row + column.
struct JpegNaturalOrder {
  std::uint8_t at[64];
  constexpr JpegNaturalOrder() : at{} {
    const JpegZigzag zigzag;
    for (int i = 0; i < 64; ++i) at[zigzag.at[i]] = static_cast<std::uint8_t>(i);
  }
};

}  // namespace sluice
