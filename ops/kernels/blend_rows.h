// The inner loop of blend and weighted_sum: one row at a time, by SIMD instructions chosen when the
// program runs. Internal.
//
// All results are integers and the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sluice::kernels {

// Converts a weight of 0 to 1 to 15 bits. 1 becomes the nearest representable number, which is
// enough for sum_rows to reproduce the pixel value.
std::int16_t fixed_weight(double weight);

// out[i] for i < size: the sum of weights[k] * rows[k][i] / 2^15, rounded and clipped to 255. There
// must be at least one row; weights must not be negative. `out` may be one of the rows.
void sum_rows(std::span<const std::uint8_t* const> rows, const std::int16_t* weights,
              std::size_t size, std::uint8_t* out);

}  // namespace sluice::kernels
