// Inner loops on rows of 8-bit values, by SIMD instructions chosen when the program runs: lookup
// tables, the largest or smallest of several rows, and sharpening. Internal to the level and filter
// kernels.
//
// All results are integers and the same on every machine. Threads: any. Errors: none.
#pragma once

#include <sluice/ops/kernels/levels.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace sluice::kernels {

// Maps each channel by its own table. There are as many tables as channels: 1, 3 or 4. `from` and
// `to` must not overlap.
void map_pixels(const std::uint8_t* from, std::size_t pixels, std::span<const Lut> tables,
                std::uint8_t* to);

// out[i] = the largest, or the smallest, value at i of all rows, for i < size. There is at least
// one row; rows may overlap each other but not `out`.
void largest_of_rows(std::span<const std::uint8_t* const> rows, std::size_t size,
                     std::uint8_t* out);
void smallest_of_rows(std::span<const std::uint8_t* const> rows, std::size_t size,
                      std::uint8_t* out);

// A factor as a 16-bit fixed point number: factor * 2^bits. bits: 8 to 15.
struct FixedFactor {
  std::int16_t value = 0;
  int bits = 0;
};
// Converts a factor of 0 to 127, with as many bits as fit.
FixedFactor fixed_factor(float factor);

// out[i] for i < size from rows[0..2][i - step], [i] and [i + step], all of which must be readable:
// smooth + factor * (rows[1][i] - smooth).
void sharpen_row(const std::uint8_t* const rows[3], std::ptrdiff_t step, FixedFactor factor,
                 std::size_t size, std::uint8_t* out);

}  // namespace sluice::kernels
