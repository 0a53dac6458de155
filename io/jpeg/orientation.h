// The eight EXIF orientations (tag 0x0112): how a viewer turns a stored image, and the entry of
// EXIF segments that says so.
//
//   1 as stored            5 mirrored along the main diagonal
//   2 mirrored left-right  6 turned clockwise by 90 degrees
//   3 turned by 180        7 mirrored along the other diagonal
//   4 mirrored top-bottom  8 turned counter-clockwise by 90 degrees
//
// Plain functions without state. Orientations outside 1 to 8, and anything in a segment that is not
// a well-formed orientation, count as 1. The functions on segments read only the given bytes and
// never throw.
#pragma once

#include <sluice/runtime/image.h>

#include <array>
#include <cstdint>
#include <span>

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

// `segment` is the payload of an APP1 segment (what follows its two length bytes). It starts with
// "Exif\0\0" and then holds a TIFF header and its directories, in either byte order (Exif 2.32,
// sections 4.5.4 and 4.6). Returns tag 0x0112 of the first directory if it is a SHORT or LONG,
// count 1, value 1 to 8; otherwise 1.
int parse_exif_orientation(std::span<const std::uint8_t> segment) noexcept;

// True if an APP1 payload is EXIF (XMP, for example, is not).
bool is_exif(std::span<const std::uint8_t> segment) noexcept;

// Returns the payload of an APP1 segment that contains only the orientation, 1 to 8. The inverse of
// parse_exif_orientation.
std::array<std::uint8_t, 32> make_exif_orientation(int orientation) noexcept;

}  // namespace sluice
