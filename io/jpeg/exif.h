// EXIF, as far as the orientation of a picture goes: reads and writes that one entry.
//
// Plain functions without state; they read only the bytes they are given and never throw on what
// they find there. Anything that is not a well-formed orientation counts as 1, "as stored".
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace sluice {

// The payload of an APP1 segment (what follows its two length bytes), which starts with "Exif\0\0"
// and then holds a TIFF header and its directories, in either byte order (Exif 2.32, sections 4.5.4
// and 4.6). Returns tag 0x0112 of the first directory if it is a SHORT or LONG, count 1, value 1 to
// 8; otherwise 1.
int parse_exif_orientation(std::span<const std::uint8_t> segment) noexcept;

// Whether an APP1 payload is an EXIF one at all (XMP, for instance, is not).
bool is_exif(std::span<const std::uint8_t> segment) noexcept;

// The payload of an APP1 segment that says nothing but the orientation, 1 to 8. The inverse of
// parse_exif_orientation.
std::array<std::uint8_t, 32> make_exif_orientation(int orientation) noexcept;

}  // namespace sluice
