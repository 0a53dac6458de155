#include <sluice/ops/kernels/level_rows.h>
#include <sluice/ops/kernels/level_table.h>
#include <sluice/ops/kernels/pixel_runs.h>

namespace sluice::kernels {

void map_levels(const Image& in, const LevelTable& table, Image& out) {
  out.create(in.height(), in.width(), in.channels());
  const auto channels = static_cast<std::size_t>(in.channels());
  for_each_run(in, out, [&](const std::uint8_t* from, std::size_t pixels, std::uint8_t* to) {
    map_pixels(from, pixels * channels, {&table, 1}, to);
  });
}

void map_channels(const Image& in, std::span<const LevelTable> tables, Image& out) {
  out.create(in.height(), in.width(), in.channels());
  for_each_run(in, out, [&](const std::uint8_t* from, std::size_t pixels, std::uint8_t* to) {
    map_pixels(from, pixels, tables, to);
  });
}

void map_colours(const Image& in, const LevelTable& table, Image& out) {
  if (in.channels() < 4) return map_levels(in, table, out);
  map_channels(in, std::array{table, table, table, same_levels()}, out);
}

}  // namespace sluice::kernels
