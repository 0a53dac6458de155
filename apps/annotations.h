// Boxes and masks drawn into pictures, for contact sheets; and masks as files.
//
// No state. Pictures with other than 3 channels stay as they are. Errors: ImageError for a mask
// that cannot be decoded, std::bad_alloc, and what write_mask says.
#pragma once

#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>

#include <span>

namespace sluice::app {

// The edges of boxes: four numbers each, in pixels.
void draw_boxes(std::span<const float> boxes, Image& picture);

// Lays a colour for each id over the picture; none for 0. The mask is the file of one.
void draw_mask(const Bytes& mask, Image& picture);

// Whether this build can make such files.
bool can_write_masks();
// A picture of one channel as a PNG file. Throws Error where it cannot be made.
Bytes write_mask(const Image& mask);

}  // namespace sluice::app
