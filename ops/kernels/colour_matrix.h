// A colour matrix: three rows of four numbers, each row one channel's.
//
//   out[row] = m[row][0] * R + m[row][1] * G + m[row][2] * B + m[row][3]
//
// cut off to 0 .. 255 and rounded to nearest, halves up. Computed in single precision, summed from
// the left and without fused operations, so that all instruction sets give the same bytes. Numbers
// beyond 1e9 are taken as that, since all of them reach black or white.
//
// Internal to the kernels of operators that are one. Threads: any. Errors: none; whoever calls
// checks the picture.
#pragma once

#include <sluice/ops/kernels/planes.h>
#include <sluice/runtime/image.h>

#include <array>
#include <cstddef>

namespace sluice::kernels {

using ColourMatrix = std::array<std::array<double, 4>, 3>;

// Of a picture with 3 or 4 channels; a fourth stays as it is.
void apply_colour_matrix(const Image& in, const ColourMatrix& matrix, Image& out);

// As the inner loop wants it.
using FloatMatrix = std::array<std::array<float, 4>, 3>;
FloatMatrix float_matrix(const ColourMatrix& matrix);

// The inner loops, in colour_matrix_rows.cpp. In place, of the first `count` pixels and perhaps
// beyond:
void colour_matrix_of_planes(const FloatMatrix& matrix, std::size_t count, Planes& planes);
// Of `count` pixels of 3 or 4 channels, and no others:
void colour_matrix_of_pixels(const FloatMatrix& matrix, const std::uint8_t* in, std::size_t count,
                             int channels, std::uint8_t* out);

}  // namespace sluice::kernels
