#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/solarize.h>

#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {

LevelTable solarize_table(float threshold) {
  if (!(threshold >= 0.f && threshold <= 256.f)) {
    throw std::invalid_argument(
        fmt::format("solarize: threshold is {}; it must lie in 0 .. 256", threshold));
  }
  return level_table_of([&](double x) { return x >= threshold ? 255 - x : x; });
}

void solarize(const Image& in, float threshold, Image& out) {
  check_pixels("solarize", in);
  map_levels(in, solarize_table(threshold), out);
}

}  // namespace sluice::kernels
