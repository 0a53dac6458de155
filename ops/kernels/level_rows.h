// The inner loop of lookup tables for pixel values, by SIMD instructions chosen when the program
// runs. Internal to level_table.cpp.
//
// Threads: any. Errors: none.
#pragma once

#include <sluice/ops/kernels/level_table.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace sluice::kernels {

// Maps each channel by its own table. There are as many tables as channels: 1, 3 or 4. `from` and
// `to` must not overlap.
void map_pixels(const std::uint8_t* from, std::size_t pixels, std::span<const LevelTable> tables,
                std::uint8_t* to);

}  // namespace sluice::kernels
