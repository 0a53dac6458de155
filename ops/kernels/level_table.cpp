#include <sluice/ops/kernels/level_table.h>

namespace sluice::kernels {

void map_levels(const Image& in, const LevelTable& table, Image& out) {
  out.create(in.height(), in.width(), in.channels());
  const std::size_t bytes = in.row_bytes();
  for (int y = 0; y < in.height(); ++y) {
    const std::uint8_t* from = in.row(y);
    std::uint8_t* to = out.row(y);
    for (std::size_t i = 0; i < bytes; ++i) to[i] = table[from[i]];
  }
}

}  // namespace sluice::kernels
