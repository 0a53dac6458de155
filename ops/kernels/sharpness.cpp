#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/sharpness.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {

FixedFactor sharpness_factor(float factor) {
  check_finite("sharpness", "factor", factor);
  if (factor < 0 || factor > kLargestSharpness) {
    throw std::invalid_argument(fmt::format("sharpness: factor is {}; it must lie between 0 and {}",
                                            factor, kLargestSharpness));
  }
  return fixed_factor(factor);
}

void sharpness(const Image& in, float factor, Image& out) {
  check_pixels("sharpness", in);
  const FixedFactor fixed = sharpness_factor(factor);
  const int height = in.height();
  const auto step = static_cast<std::size_t>(in.channels());
  const std::size_t bytes = in.row_bytes();
  out.create(height, in.width(), in.channels());
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* from = in.row(y);
    std::uint8_t* to = out.row(y);
    if (y == 0 || y == height - 1 || in.width() < 3) {
      std::memcpy(to, from, bytes);
      continue;
    }
    const std::uint8_t* rows[3] = {in.row(y - 1) + step, from + step, in.row(y + 1) + step};
    std::copy_n(from, step, to);
    sharpen_row(rows, in.channels(), fixed, bytes - 2 * step, to + step);
    std::copy_n(from + bytes - step, step, to + bytes - step);
  }
}

}  // namespace sluice::kernels
