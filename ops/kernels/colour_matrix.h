// A colour matrix: three rows of four numbers, each row one channel's.
//
//   out[row] = m[row][0] * R + m[row][1] * G + m[row][2] * B + m[row][3]
//
// cut off to 0 .. 255 and rounded to nearest, halves up. The numbers are rounded to 2^-16 of the
// power of two that is above the largest one of R, G and B, and so that they add up as before: what
// is gray stays gray under rows of one sum. A level can be off by 0.012 for each 1 of the largest
// number before it is rounded. Products with levels are exact in single precision, so that all
// devices and instruction sets give the same bytes, with fused operations or without. A row whose
// sums can be beyond 2^30 is scaled down to that, since such sums are black or white.
//
// Internal to the kernels of operators that are one. Threads: any. Errors: none; whoever calls
// checks the picture.
#pragma once

#include <sluice/ops/kernels/planes.h>
#include <sluice/runtime/image.h>

#include <array>
#include <cstddef>

namespace sluice::kernels {

using MatrixRow = std::array<double, 4>;
using ColourMatrix = std::array<MatrixRow, 3>;

// Of a picture with 3 or 4 channels; a fourth stays as it is.
void apply_colour_matrix(const Image& in, const ColourMatrix& matrix, Image& out);

// As the inner loop wants it: a level is the whole part of row[3] + row[0] * R + row[1] * G +
// row[2] * B, summed in this order, as row[3] has the half for rounding.
using FloatMatrix = std::array<std::array<float, 4>, 3>;
FloatMatrix float_matrix(const ColourMatrix& matrix);

// The inner loops, in colour_matrix_rows.cpp. In place, of the first `count` pixels and perhaps
// beyond:
void colour_matrix_of_planes(const FloatMatrix& matrix, std::size_t count, Planes& planes);
// Of `count` pixels of 3 or 4 channels, and no others:
void colour_matrix_of_pixels(const FloatMatrix& matrix, const std::uint8_t* in, std::size_t count,
                             int channels, std::uint8_t* out);

}  // namespace sluice::kernels
