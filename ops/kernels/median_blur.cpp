#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/median_blur.h>
#include <sluice/ops/kernels/median_rows.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace sluice::kernels {

void check_median_window(int window_size) {
  if (window_size != 3 && window_size != 5) {
    throw std::invalid_argument(
        fmt::format("median_blur: window_size must be 3 or 5, not {}", window_size));
  }
}

void median_blur(const Image& in, int window_size, Image& out) {
  check_pixels("median_blur", in);
  check_median_window(window_size);
  const int height = in.height(), radius = window_size / 2;
  const auto channels = static_cast<std::size_t>(in.channels());
  const std::size_t margin = static_cast<std::size_t>(radius) * channels;
  const std::size_t bytes = in.row_bytes(), wide = margin + bytes + margin;
  out.create(height, in.width(), in.channels());

  // The rows of one window, with repeated pixels at their ends; row y is in slot y % window_size.
  thread_local std::vector<std::uint8_t> ring;
  const auto window = static_cast<std::size_t>(window_size);
  if (ring.size() < wide * window) ring.resize(wide * window);
  const auto slot = [&](int y) {
    return ring.data() + static_cast<std::size_t>(y) % window * wide;
  };
  const auto widen = [&](int y) {
    const std::uint8_t* from = in.row(y);
    std::uint8_t* to = std::copy_n(from, bytes, slot(y) + margin);
    for (std::size_t i = 0; i < margin; ++i) {
      slot(y)[i] = from[i % channels];
      to[i] = from[bytes - channels + i % channels];
    }
  };
  std::array<const std::uint8_t*, 5> rows{};
  int widened = 0;
  for (int y = 0; y < height; ++y) {
    for (; widened <= std::min(height - 1, y + radius); ++widened) widen(widened);
    for (int k = 0; k < window_size; ++k) {
      rows.at(static_cast<std::size_t>(k)) = slot(std::clamp(y - radius + k, 0, height - 1));
    }
    median_row(rows.data(), window_size, in.channels(), bytes, out.row(y));
  }
}

}  // namespace sluice::kernels
