// crop: a rectangle cut out of a picture, as a copy. (Image::crop_view() gives the same without
// one.)
//
// Errors: std::invalid_argument unless the region lies inside the picture.
#pragma once

#include <sluice/runtime/image.h>
#include <sluice/runtime/rectangle.h>

namespace sluice::kernels {

void crop(const Image& in, const Rectangle& region, Image& out);

}  // namespace sluice::kernels
