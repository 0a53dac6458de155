#include <sluice/io/jpeg/exif.h>

#include <algorithm>
#include <cstddef>

namespace sluice {
namespace {

constexpr std::array<std::uint8_t, 6> kSignature{'E', 'x', 'i', 'f', 0, 0};
constexpr std::uint32_t kOrientationTag = 0x0112;
constexpr std::uint32_t kShort = 3;
constexpr std::uint32_t kLong = 4;
constexpr std::size_t kEntrySize = 12;

// Reads unsigned numbers of a TIFF structure. Offsets count from its first byte. The caller checks
// that they are inside.
struct Tiff {
  std::span<const std::uint8_t> bytes;
  bool big_endian;

  std::uint32_t number(std::size_t offset, std::size_t size) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      value = value << 8 | bytes[offset + (big_endian ? i : size - 1 - i)];
    }
    return value;
  }
};

}  // namespace

bool is_exif(std::span<const std::uint8_t> segment) noexcept {
  return segment.size() >= kSignature.size() &&
         std::equal(kSignature.begin(), kSignature.end(), segment.begin());
}

int parse_exif_orientation(std::span<const std::uint8_t> segment) noexcept {
  if (!is_exif(segment)) return 1;
  const auto bytes = segment.subspan(kSignature.size());
  if (bytes.size() < 8) return 1;
  const bool big_endian = bytes[0] == 'M' && bytes[1] == 'M';
  if (!big_endian && !(bytes[0] == 'I' && bytes[1] == 'I')) return 1;
  const Tiff tiff{bytes, big_endian};
  if (tiff.number(2, 2) != 42) return 1;
  const std::size_t directory = tiff.number(4, 4);
  if (directory < 8 || directory > bytes.size() - 2) return 1;
  const std::size_t claimed = tiff.number(directory, 2);
  const std::size_t present = (bytes.size() - directory - 2) / kEntrySize;
  for (std::size_t i = 0; i < std::min(claimed, present); ++i) {
    const std::size_t entry = directory + 2 + i * kEntrySize;
    if (tiff.number(entry, 2) != kOrientationTag) continue;
    const std::uint32_t type = tiff.number(entry + 2, 2);
    if ((type != kShort && type != kLong) || tiff.number(entry + 4, 4) != 1) return 1;
    const std::uint32_t value = tiff.number(entry + 8, type == kShort ? 2 : 4);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

std::array<std::uint8_t, 32> make_exif_orientation(int orientation) noexcept {
  return {'E',  'x',
          'i',  'f',
          0,    0,  // signature
          'M',  'M',
          0,    42,
          0,    0,
          0,    8,  // TIFF, directory at 8
          0,    1,  // one entry
          0x01, 0x12,
          0,    3,
          0,    0,
          0,    1,  // orientation, SHORT, one
          0,    static_cast<std::uint8_t>(orientation),
          0,    0,
          0,    0,
          0,    0};  // value, no next directory
}

}  // namespace sluice
