// Border: what stands beyond the border of a picture, where an operator needs pixels from there.
#pragma once

#include <cstdint>

namespace sluice {

// A constant colour; the pixel of the edge that is nearest; the picture, mirrored at the middle of
// its outermost pixels.
enum class Border : std::uint8_t { constant, edge, reflect };
const char* name_of(Border border);

}  // namespace sluice
