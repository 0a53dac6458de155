// Border: what stands beyond the border of a picture, where an operator needs pixels from there.
#pragma once

#include <cstdint>

namespace sluice {

// A constant colour, or the pixel of the edge that is nearest.
enum class Border : std::uint8_t { constant, edge };
const char* name_of(Border border);

}  // namespace sluice
