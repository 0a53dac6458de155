#include <sluice/ops/kernels/level_table.h>

namespace sluice::kernels {
namespace {

template <std::size_t channels>
void map_row(const std::uint8_t* from, std::size_t bytes, std::span<const LevelTable> tables,
             std::uint8_t* to) {
  for (std::size_t i = 0; i < bytes; i += channels) {
    for (std::size_t c = 0; c < channels; ++c) to[i + c] = tables[c][from[i + c]];
  }
}

}  // namespace

void map_levels(const Image& in, const LevelTable& table, Image& out) {
  out.create(in.height(), in.width(), in.channels());
  const std::size_t bytes = in.row_bytes();
  for (int y = 0; y < in.height(); ++y) {
    const std::uint8_t* from = in.row(y);
    std::uint8_t* to = out.row(y);
    for (std::size_t i = 0; i < bytes; ++i) to[i] = table[from[i]];
  }
}

void map_channels(const Image& in, std::span<const LevelTable> tables, Image& out) {
  if (tables.size() == 1) return map_levels(in, tables[0], out);
  out.create(in.height(), in.width(), in.channels());
  for (int y = 0; y < in.height(); ++y) {
    if (tables.size() == 3) {
      map_row<3>(in.row(y), in.row_bytes(), tables, out.row(y));
    } else {
      map_row<4>(in.row(y), in.row_bytes(), tables, out.row(y));
    }
  }
}

void map_colours(const Image& in, const LevelTable& table, Image& out) {
  if (in.channels() < 4) return map_levels(in, table, out);
  map_channels(in, std::array{table, table, table, same_levels()}, out);
}

}  // namespace sluice::kernels
