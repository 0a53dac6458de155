#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/crop.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace sluice {

const char* name_of(OutOfBounds what) {
  switch (what) {
    case OutOfBounds::error:
      return "error";
    case OutOfBounds::pad:
      return "pad";
    case OutOfBounds::trim:
      return "trim";
  }
  return "?";
}

}  // namespace sluice

namespace sluice::kernels {
namespace {

// What of `length` places from `from` on lies in 0 .. limit - 1.
struct Stretch {
  std::int64_t begin = 0, end = 0;
};
Stretch inside(int from, int length, int limit) {
  return {std::max<std::int64_t>(from, 0),
          std::min<std::int64_t>(std::int64_t{from} + length, limit)};
}

}  // namespace

void crop(const Image& in, const Rectangle& region, Image& out) {
  check_pixels("crop", in);
  check_region("crop", region, in);
  out.create(region.height, region.width, in.channels());
  const std::ptrdiff_t left = static_cast<std::ptrdiff_t>(region.x) * in.channels();
  for (int y = 0; y < region.height; ++y) {
    std::memcpy(out.row(y), in.row(region.y + y) + left, out.row_bytes());
  }
}

void crop_padded(const Image& in, const Rectangle& region, const Fill& fill, Image& out) {
  check_pixels("crop", in);
  check_size("crop", region.height, region.width);
  const auto channels = static_cast<std::size_t>(in.channels());
  out.create(region.height, region.width, in.channels());
  std::vector<std::uint8_t> colour(out.row_bytes());
  for (std::size_t i = 0; i < colour.size(); ++i) colour[i] = fill[static_cast<int>(i % channels)];
  const Stretch columns = inside(region.x, region.width, in.width());
  for (int y = 0; y < region.height; ++y) {
    std::memcpy(out.row(y), colour.data(), colour.size());
    const std::int64_t row = std::int64_t{region.y} + y;
    if (row < 0 || row >= in.height() || columns.begin >= columns.end) continue;
    const auto bytes = static_cast<std::size_t>(columns.end - columns.begin) * channels;
    std::memcpy(out.row(y) + static_cast<std::size_t>(columns.begin - region.x) * channels,
                in.row(static_cast<int>(row)) + static_cast<std::size_t>(columns.begin) * channels,
                bytes);
  }
}

Rectangle trimmed(const Rectangle& region, int height, int width) {
  const Stretch rows = inside(region.y, region.height, height);
  const Stretch columns = inside(region.x, region.width, width);
  if (rows.begin < rows.end && columns.begin < columns.end) {
    return {static_cast<int>(rows.begin), static_cast<int>(columns.begin),
            static_cast<int>(rows.end - rows.begin), static_cast<int>(columns.end - columns.begin)};
  }
  throw std::invalid_argument(fmt::format(
      "crop: a region of {} x {} (height x width) at y = {}, x = {} has nothing of the picture of "
      "{} x {}",
      region.height, region.width, region.y, region.x, height, width));
}

}  // namespace sluice::kernels
