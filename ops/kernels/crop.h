// crop: a rectangle cut out of a picture, as a copy. (Image::crop_view() gives the same without
// one.)
//
// Errors: std::invalid_argument unless the region lies inside the picture, or, where a part of it
// may lie outside, for one that is empty, or, to be trimmed, has nothing of the picture. Threads:
// any.
#pragma once

#include <sluice/ops/kernels/fill.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/rectangle.h>

#include <cstdint>

namespace sluice {

// What becomes of a region that does not lie inside its picture: it is an error; what lies outside
// is filled; it is cut to the picture.
enum class OutOfBounds : std::uint8_t { error, pad, trim };
const char* name_of(OutOfBounds what);

}  // namespace sluice

namespace sluice::kernels {

void crop(const Image& in, const Rectangle& region, Image& out);

// The region may lie anywhere: what is outside of the picture gets the fill.
void crop_padded(const Image& in, const Rectangle& region, const Fill& fill, Image& out);

// What of the region lies inside a height x width picture.
Rectangle trimmed(const Rectangle& region, int height, int width);

}  // namespace sluice::kernels
