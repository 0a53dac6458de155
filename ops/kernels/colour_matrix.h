// A color matrix: three rows of four numbers, one row per output channel.
//
//   out[row] = m[row][0] * R + m[row][1] * G + m[row][2] * B + m[row][3]
//
// The result is clipped to 0 .. 255 and rounded to nearest, halves up. The factors of R, G and B
// are rounded to 2^-16 of the power of two above the largest of them. The rounding keeps their sum,
// so gray stays gray if all rows have one sum. Before rounding, a result can be off by 0.012 per 1
// of the largest factor. Products with pixel values are exact in single precision, so all devices
// and instruction sets produce the same bytes, with or without fused operations. A row whose sums
// can exceed 2^30 is scaled down to that, since such sums are black or white.
//
// Internal to the kernels that apply such a matrix. Threads: any. Errors: none; the caller checks
// the image.
#pragma once

#include <sluice/ops/kernels/planes.h>
#include <sluice/runtime/image.h>

#include <array>
#include <cstddef>

namespace sluice::kernels {

using MatrixRow = std::array<double, 4>;
using ColourMatrix = std::array<MatrixRow, 3>;

// Applies the matrix to an image with 3 or 4 channels; a fourth is not changed.
void apply_colour_matrix(const Image& in, const ColourMatrix& matrix, Image& out);

// The form for the inner loop: a result is the integer part of row[3] + row[0] * R + row[1] * G +
// row[2] * B, summed in this order. row[3] includes the 0.5 for rounding.
using FloatMatrix = std::array<std::array<float, 4>, 3>;
FloatMatrix float_matrix(const ColourMatrix& matrix);

// The inner loops, in colour_matrix_rows.cpp. This one works in place on the first `count` pixels,
// and may change those after them.
void colour_matrix_of_planes(const FloatMatrix& matrix, std::size_t count, Planes& planes);
// Works on exactly `count` pixels of 3 or 4 channels.
void colour_matrix_of_pixels(const FloatMatrix& matrix, const std::uint8_t* in, std::size_t count,
                             int channels, std::uint8_t* out);

}  // namespace sluice::kernels
