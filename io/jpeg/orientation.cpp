#include <sluice/io/jpeg/orientation.h>

#include <cstddef>
#include <cstdint>
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

}  // namespace sluice
