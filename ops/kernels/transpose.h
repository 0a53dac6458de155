// transpose: exchanges rows and columns: the pixel at (x, y) goes to (y, x). Also quarter turns,
// which are a transpose with one side reversed.
//
// Errors: std::invalid_argument for an empty image or more than 4 channels. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

namespace sluice::kernels {

void transpose(const Image& in, Image& out);

// A quarter turn counter-clockwise, and one clockwise.
void turn_left(const Image& in, Image& out);
void turn_right(const Image& in, Image& out);

}  // namespace sluice::kernels
