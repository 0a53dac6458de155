// jpeg_distortion: adds JPEG compression artifacts, such as blocks and blurred colors.
//
// The image is encoded and decoded in memory by libjpeg-turbo, with 4:2:0 chroma subsampling.
//
// Errors: std::invalid_argument for an empty image, channels other than 1 and 3, a side of more
// than 65500 pixels, and a quality outside of 1 .. 100. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

namespace sluice::kernels {

// Throws the errors of jpeg_distortion().
void check_jpeg_distortion(const Image& in, int quality);

void jpeg_distortion(const Image& in, int quality, Image& out);

}  // namespace sluice::kernels
