// color_space_conversion: pixels of one format become those of another.
//
//   Y  = 0.299 R + 0.587 G + 0.114 B
//   Cb = (B - Y) / 1.772 + 128
//   Cr = (R - Y) / 1.402 + 128
//
// That is the YCbCr of JPEG, where all three have the full range of 0 to 255, and not that of
// video, which DALI's operator has. One colour matrix (colour_matrix.h) in either direction. The
// channels are in the order of the format's name; a fourth stays as it is.
//
// Errors: std::invalid_argument for an empty image, one of fewer than 3 or more than 4 channels.
// Threads: any.
#pragma once

#include <sluice/runtime/image.h>

#include <cstdint>

namespace sluice {

// What the three channels of a picture are, in their order.
enum class PixelFormat : std::uint8_t { rgb, bgr, ycbcr };
const char* name_of(PixelFormat format);

namespace kernels {

void color_space_conversion(const Image& in, PixelFormat from, PixelFormat to, Image& out);

}  // namespace kernels
}  // namespace sluice
