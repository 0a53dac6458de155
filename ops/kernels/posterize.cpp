#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/posterize.h>

#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {

LevelTable posterize_table(int bits) {
  if (bits < 1 || bits > 8)
    throw std::invalid_argument(fmt::format("posterize: bits is {}; it must lie in 1 .. 8", bits));
  const unsigned mask = 256u - (1u << (8 - bits));
  LevelTable table{};
  for (std::size_t x = 0; x < table.size(); ++x) table[x] = static_cast<std::uint8_t>(x & mask);
  return table;
}

void posterize(const Image& in, int bits, Image& out) {
  check_pixels("posterize", in);
  map_levels(in, posterize_table(bits), out);
}

}  // namespace sluice::kernels
