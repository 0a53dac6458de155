// transpose: rows become columns: the pixel at (x, y) goes to (y, x). And quarter turns, which are
// that with one of the sides turned round.
//
// Errors: std::invalid_argument for an empty image or more than 4 channels. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

namespace sluice::kernels {

void transpose(const Image& in, Image& out);

// Counter-clockwise, and clockwise.
void turn_left(const Image& in, Image& out);
void turn_right(const Image& in, Image& out);

}  // namespace sluice::kernels
