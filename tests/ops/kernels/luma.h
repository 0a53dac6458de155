// Pillow's luma of one pixel, for references.
#pragma once

namespace sluice::testing {

inline int luma(int red, int green, int blue) {
  return (19595 * red + 38470 * green + 7471 * blue + 32768) / 65536;
}

}  // namespace sluice::testing
