// A table of levels: what becomes of each of the 256 levels of a picture, and pictures mapped by
// one. Internal to the kernels of operators that such a table describes.
//
// Ownership: nothing is kept. Threads: any. Errors: none; whoever calls checks the picture.
#pragma once

#include <sluice/runtime/image.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sluice::kernels {

using LevelTable = std::array<std::uint8_t, 256>;

// Rounded to nearest, halves up, and cut off to 0 .. 255.
inline std::uint8_t to_level(double value) {
  return static_cast<std::uint8_t>(std::clamp(value + 0.5, 0.0, 255.0));
}

// The levels that value(x), a double, gives for x = 0 .. 255.
template <class F>
LevelTable level_table_of(const F& value) {
  LevelTable table{};
  for (std::size_t x = 0; x < table.size(); ++x) table[x] = to_level(value(static_cast<double>(x)));
  return table;
}

// The table that changes nothing.
inline LevelTable same_levels() {
  return level_table_of([](double x) { return x; });
}

// Each level of each channel by the same table.
void map_levels(const Image& in, const LevelTable& table, Image& out);
// Each channel by a table of its own: as many tables as channels, 1, 3 or 4.
void map_channels(const Image& in, std::span<const LevelTable> tables, Image& out);
// As map_levels(), but of 4 channels the fourth stays as it is; 1, 3 or 4 channels.
void map_colours(const Image& in, const LevelTable& table, Image& out);

}  // namespace sluice::kernels
