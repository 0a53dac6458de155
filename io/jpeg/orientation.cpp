#include <sluice/io/jpeg/orientation.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace sluice {
namespace {

// True if the stored image is read from its last row up, or from its last column back.
bool flips_rows(int orientation) {
  return orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
}
bool flips_columns(int orientation) {
  return orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
}

template <int kChannels>
void copy_pixels(const std::uint8_t* source, std::ptrdiff_t step, std::uint8_t* target, int count,
                 int channels) {
  const int n = kChannels > 0 ? kChannels : channels;
  for (int i = 0; i < count; ++i, source += step, target += n) {
    for (int c = 0; c < n; ++c) target[c] = source[c];
  }
}

}  // namespace

bool swaps_sides(int orientation) noexcept { return orientation >= 5 && orientation <= 8; }

Rectangle stored_region(const Rectangle& region, int orientation, int stored_height,
                        int stored_width) {
  Rectangle stored = region;
  if (swaps_sides(orientation)) stored = {region.x, region.y, region.width, region.height};
  if (flips_rows(orientation)) stored.y = stored_height - stored.y - stored.height;
  if (flips_columns(orientation)) stored.x = stored_width - stored.x - stored.width;
  return stored;
}

Rectangle oriented_region(const Rectangle& stored, int orientation, int stored_height,
                          int stored_width) {
  // Two quarter turns undo each other, everything else undoes itself.
  const int back = orientation == 6 ? 8 : orientation == 8 ? 6 : orientation;
  const bool swap = swaps_sides(orientation);
  return stored_region(stored, back, swap ? stored_width : stored_height,
                       swap ? stored_height : stored_width);
}

void orient(const Image& in, int orientation, Image& out) {
  const bool swap = swaps_sides(orientation);
  const int channels = in.channels();
  out.create(swap ? in.width() : in.height(), swap ? in.height() : in.width(), channels);
  // The first pixel, and the steps to the next one in the row and in the column.
  std::ptrdiff_t down = in.row_stride();
  std::ptrdiff_t right = channels;
  const std::uint8_t* first = in.data();
  if (flips_rows(orientation)) {
    first += (in.height() - 1) * down;
    down = -down;
  }
  if (flips_columns(orientation)) {
    first += (in.width() - 1) * right;
    right = -right;
  }
  const std::ptrdiff_t row_step = swap ? right : down;
  const std::ptrdiff_t pixel_step = swap ? down : right;
  const auto copy = channels == 3   ? copy_pixels<3>
                    : channels == 1 ? copy_pixels<1>
                                    : copy_pixels<0>;
  for (int y = 0; y < out.height(); ++y) {
    const std::uint8_t* source = first + y * row_step;
    if (pixel_step == channels) {
      std::memcpy(out.row(y), source, out.row_bytes());
    } else {
      copy(source, pixel_step, out.row(y), out.width(), channels);
    }
  }
}

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
