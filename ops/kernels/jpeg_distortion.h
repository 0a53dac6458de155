// jpeg_distortion: a picture as it looks after it has been a JPEG file: blocks, blurred colours.
//
// It is encoded and decoded in memory by libjpeg-turbo; colours are kept for 2 x 2 pixels (4:2:0).
//
// Errors: std::invalid_argument for an empty image, channels other than 1 and 3, a side of more
// than 65500 pixels, and a quality outside of 1 .. 100. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

namespace sluice::kernels {

// What jpeg_distortion() refuses.
void check_jpeg_distortion(const Image& in, int quality);

void jpeg_distortion(const Image& in, int quality, Image& out);

}  // namespace sluice::kernels
