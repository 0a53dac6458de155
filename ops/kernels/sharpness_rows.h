// The inner loop of sharpness: one row at a time, by SIMD instructions chosen when the program
// runs. Internal.
//
// All results are integers and the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

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
