// The inner loop of morphology: the largest or smallest values of several rows, by SIMD
// instructions chosen when the program runs. Internal to morphology.cpp.
//
// Threads: any. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sluice::kernels {

// out[i] = the largest, or the smallest, value at i of all rows, for i < size. There is at least
// one row; rows may overlap each other but not `out`.
void largest_of_rows(std::span<const std::uint8_t* const> rows, std::size_t size,
                     std::uint8_t* out);
void smallest_of_rows(std::span<const std::uint8_t* const> rows, std::size_t size,
                      std::uint8_t* out);

}  // namespace sluice::kernels
