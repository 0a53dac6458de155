// The inner loop of tables of levels, by SIMD instructions chosen when the program runs. Internal
// to level_table.cpp.
//
// Threads: any. Errors: none.
#pragma once

#include <sluice/ops/kernels/level_table.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace sluice::kernels {

// Each channel by a table of its own, of as many tables as channels, 1, 3 or 4. `from` and `to` do
// not overlap.
void map_pixels(const std::uint8_t* from, std::size_t pixels, std::span<const LevelTable> tables,
                std::uint8_t* to);

}  // namespace sluice::kernels
