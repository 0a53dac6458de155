// The inner loop of to_image: converts numbers to pixel values, by SIMD instructions chosen when
// the program runs. Internal to to_image.cpp.
//
// Threads: any. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

// Rounds each number to the nearest integer, halves up. Numbers below 0 and NaN become 0; those
// above 255 become 255.
void rounded_levels(const float* numbers, std::size_t count, std::uint8_t* levels);

}  // namespace sluice::kernels
