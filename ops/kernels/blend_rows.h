// Weighted sums of rows, by SIMD instructions chosen when the program runs: of 8-bit pixel values,
// of 16-bit floats and of floats. Internal to the kernels that mix images, and to elastic.
//
// All results are the same on every machine: integers, or floats without fused operations. Threads:
// any. Errors: none.
#pragma once

#include <sluice/runtime/half.h>

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

// to[i] = own * to[i] + other * from[i] for i < count, computed as f32 and rounded to nearest even.
void mix_halves(const Half* from, float own, float other, std::size_t count, Half* to);

// Writes `width` sums of rows of numbers, each multiplied by its weight. Row k begins at rows[k]
// and must not overlap `out`. Products are added one after the other, from the first row to the
// last.
void weighted_rows(const float* const* rows, const float* weights, int count, int width,
                   float* out);

}  // namespace sluice::kernels
