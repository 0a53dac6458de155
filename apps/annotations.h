// Draws boxes and masks onto images for contact sheets, and writes masks as files.
//
// No state. Images without 3 channels are not changed. Errors: ImageError for a mask that cannot be
// decoded, std::bad_alloc, and those of write_mask.
#pragma once

#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>

#include <span>

namespace sluice::app {

// Draws the edges of boxes. Each box is four numbers, in pixels.
void draw_boxes(std::span<const float> boxes, Image& picture);

// Overlays a color for each id of the mask; 0 stays clear. `mask` is the content of a mask file.
void draw_mask(const Bytes& mask, Image& picture);

// True if this build can write PNG files.
bool can_write_masks();
// Encodes an image of one channel as PNG. Throws Error if it fails.
Bytes write_mask(const Image& mask);

}  // namespace sluice::app
