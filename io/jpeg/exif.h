// Reads and writes the orientation entry of EXIF segments.
//
// Plain functions without state. They read only the given bytes and never throw. Anything that is
// not a well-formed orientation counts as 1, "as stored".
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace sluice {

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
