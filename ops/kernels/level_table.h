// LevelTable: a lookup table for the 256 pixel values, and its application to images. Internal to
// the kernels of operators that such a table describes.
//
// Ownership: nothing is kept. Threads: any. Errors: none; the caller checks the image.
#pragma once

#include <sluice/runtime/image.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sluice::kernels {

using LevelTable = std::array<std::uint8_t, 256>;

// Rounds to nearest, halves up, and clips to 0 .. 255.
inline std::uint8_t to_level(double value) {
  return static_cast<std::uint8_t>(std::clamp(value + 0.5, 0.0, 255.0));
}

// Returns the table of to_level(value(x)) for x = 0 .. 255; value returns a double.
template <class F>
LevelTable level_table_of(const F& value) {
  LevelTable table{};
  for (std::size_t x = 0; x < table.size(); ++x) table[x] = to_level(value(static_cast<double>(x)));
  return table;
}

// Returns the identity table.
inline LevelTable same_levels() {
  return level_table_of([](double x) { return x; });
}

// Maps every channel by the same table.
void map_levels(const Image& in, const LevelTable& table, Image& out);
// Maps each channel by its own table: as many tables as channels, 1, 3 or 4.
void map_channels(const Image& in, std::span<const LevelTable> tables, Image& out);
// Like map_levels(), but does not change a fourth channel; for 1, 3 or 4 channels.
void map_colours(const Image& in, const LevelTable& table, Image& out);

}  // namespace sluice::kernels
