// color_space_conversion: converts pixels from one color format to another.
//
//   Y  = 0.299 R + 0.587 G + 0.114 B
//   Cb = (B - Y) / 1.772 + 128
//   Cr = (R - Y) / 1.402 + 128
//
// This is the YCbCr of JPEG, where all three have the full range of 0 to 255. DALI's operator uses
// the YCbCr of video instead. Each direction is one color matrix (colour_matrix.h). Channels are in
// the order of the format's name; a fourth channel is not changed.
//
// Errors: std::invalid_argument for an empty image, one of fewer than 3 or more than 4 channels.
// Threads: any.
#pragma once

#include <sluice/runtime/image.h>

#include <cstdint>

namespace sluice {

// The meaning of an image's three channels, in their order.
enum class PixelFormat : std::uint8_t { rgb, bgr, ycbcr };
const char* name_of(PixelFormat format);

namespace kernels {

void color_space_conversion(const Image& in, PixelFormat from, PixelFormat to, Image& out);

}  // namespace kernels
}  // namespace sluice
