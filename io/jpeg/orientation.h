// The eight orientations of EXIF (tag 0x0112): how a stored picture is to be turned for a viewer.
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

// Whether height and width change places (5 to 8).
bool swaps_sides(int orientation) noexcept;

// The region of the stored picture (stored_height x stored_width pixels) that becomes `region` of
// the oriented one. `region` lies inside the oriented picture.
Rectangle stored_region(const Rectangle& region, int orientation, int stored_height,
                        int stored_width);

// The other way round: what becomes of a region of the stored picture. It may reach beyond the
// picture, as the blocks of a file do.
Rectangle oriented_region(const Rectangle& stored, int orientation, int stored_height,
                          int stored_width);

// Turns the stored picture `in` into `out` as a viewer shows it. Any size, any number of channels.
void orient(const Image& in, int orientation, Image& out);

}  // namespace sluice
