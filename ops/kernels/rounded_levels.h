// The inner loop of to_image: numbers as levels, by SIMD instructions chosen when the program runs.
// Internal to to_image.cpp.
//
// Threads: any. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

// Each number rounded to the nearest whole one, halves up; 0 below 0, 255 above it, and 0 of what
// is not a number.
void rounded_levels(const float* numbers, std::size_t count, std::uint8_t* levels);

}  // namespace sluice::kernels
