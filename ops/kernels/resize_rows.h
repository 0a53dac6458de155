// The inner loops of resizing: one row at a time, by SIMD instructions chosen when the program
// runs. Internal to the resizing kernels.
//
// All results are integers and the same on every machine.
#pragma once

#include <sluice/ops/kernels/resize_table.h>

#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

// Bytes that blend_horizontally() may read beyond the last tap, and write beyond the last pixel.
inline constexpr std::size_t kRowSlack = 16;

// Pixel i of `out` is the weighted sum of pixels of `in` by entry first + i of the table, rounded
// to 8 bits, for i in 0 .. width-1. The table's taps() must be a multiple of 4. `in` must be
// readable for taps() pixels + kRowSlack bytes from every start; `out` writable for kRowSlack bytes
// beyond its end. channels: 1 to 4.
void blend_horizontally(const std::uint8_t* in, int channels, const ResizeTable& table, int first,
                        int width, std::uint8_t* out);

// out[i] = sum over k < count of rows[k][i] * weights[k], rounded to 8 bits, for i < bytes. Reads
// and writes nothing beyond. count is even.
void blend_vertically(const std::uint8_t* const* rows, const std::int16_t* weights, int count,
                      int shift, std::size_t bytes, std::uint8_t* out);

}  // namespace sluice::kernels
