#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/autocontrast.h>
#include <sluice/ops/kernels/level_table.h>
#include <sluice/ops/kernels/planes.h>

#include <algorithm>

namespace sluice::kernels {
namespace {

struct Range {
  std::uint8_t lowest = 255, highest = 0;
};

void widen(Range& range, const std::uint8_t* levels, std::size_t count) {
  // Separate loops, so that compilers can vectorize them.
  std::uint8_t lowest = range.lowest, highest = range.highest;
  for (std::size_t i = 0; i < count; ++i) lowest = std::min(lowest, levels[i]);
  for (std::size_t i = 0; i < count; ++i) highest = std::max(highest, levels[i]);
  range = {lowest, highest};
}

std::array<Range, 3> ranges_of(const Image& in) {
  std::array<Range, 3> ranges;
  Planes planes;
  const auto width = static_cast<std::size_t>(in.width());
  for (int y = 0; y < in.height(); ++y) {
    if (in.channels() == 1) {
      widen(ranges[0], in.row(y), width);
      continue;
    }
    for (std::size_t x = 0; x < width; x += kPlanePixels) {
      const std::size_t count = std::min(kPlanePixels, width - x);
      split_planes(in.row(y) + x * static_cast<std::size_t>(in.channels()), count, in.channels(),
                   planes);
      for (std::size_t c = 0; c < 3; ++c) widen(ranges[c], planes.channel[c].data(), count);
    }
  }
  return ranges;
}

LevelTable table_of(const Range& range) {
  LevelTable table = same_levels();
  if (range.highest <= range.lowest) return table;
  const int width = range.highest - range.lowest;
  for (int x = range.lowest; x <= range.highest; ++x) {
    table[static_cast<std::size_t>(x)] =
        static_cast<std::uint8_t>((x - range.lowest) * 255 / width);
  }
  return table;
}

}  // namespace

void autocontrast(const Image& in, Image& out) {
  check_colours("autocontrast", in);
  const std::array<Range, 3> ranges = ranges_of(in);
  const std::array<LevelTable, 4> tables{table_of(ranges[0]), table_of(ranges[1]),
                                         table_of(ranges[2]), same_levels()};
  map_channels(in, {tables.data(), static_cast<std::size_t>(in.channels())}, out);
}

}  // namespace sluice::kernels
