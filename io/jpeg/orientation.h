// The eight EXIF orientations (tag 0x0112): how a viewer turns a stored image.
//
//   1 as stored            5 mirrored along the main diagonal
//   2 mirrored left-right  6 turned clockwise by 90 degrees
//   3 turned by 180        7 mirrored along the other diagonal
//   4 mirrored top-bottom  8 turned counter-clockwise by 90 degrees
//
// Plain functions without state. Orientations outside 1 to 8 count as 1.
#pragma once

#include <sluice/runtime/image.h>

namespace sluice {

// True if height and width are swapped (5 to 8).
bool swaps_sides(int orientation) noexcept;

// Returns the region of the stored image (stored_height x stored_width pixels) that becomes
// `region` of the oriented image. `region` lies inside the oriented image.
Rectangle stored_region(const Rectangle& region, int orientation, int stored_height,
                        int stored_width);

// The inverse: returns the region of the oriented image that a stored region becomes. It may reach
// beyond the image, as the blocks of a file do.
Rectangle oriented_region(const Rectangle& stored, int orientation, int stored_height,
                          int stored_width);

// Turns the stored image `in` into `out` as a viewer shows it, for any size and number of channels.
void orient(const Image& in, int orientation, Image& out);

}  // namespace sluice
