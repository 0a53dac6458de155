// OutOfBounds: what becomes of a region that does not lie inside its picture.
#pragma once

#include <cstdint>

namespace sluice {

// It is an error of the sample; what lies outside is filled; it is cut to the picture.
enum class OutOfBounds : std::uint8_t { error, pad, trim };
inline const char* name_of(OutOfBounds what) {
  constexpr const char* kNames[] = {"error", "pad", "trim"};
  return kNames[static_cast<int>(what)];
}

}  // namespace sluice
