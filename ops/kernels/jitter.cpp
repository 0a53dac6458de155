#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/jitter.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {

void check_jitter_window(int window_size) {
  if (window_size >= 1 && window_size <= kLargestJitterWindow && window_size % 2 == 1) return;
  throw std::invalid_argument(
      fmt::format("jitter: window_size must be an odd number between 1 and {}, not {}",
                  kLargestJitterWindow, window_size));
}

void jitter(Random& random, const Image& in, int window_size, Image& out) {
  check_pixels("jitter", in);
  check_jitter_window(window_size);
  const int radius = window_size / 2;
  // Always one draw, so that a pixel's numbers depend on its position only. All windows are small
  // enough that the result is practically uniform.
  const auto shift = [&] {
    const std::uint64_t places = static_cast<std::uint64_t>(window_size);
    return static_cast<int>(random.next() * places >> 32) - radius;
  };
  const auto channels = static_cast<std::size_t>(in.channels());
  out.create(in.height(), in.width(), in.channels());
  for (int y = 0; y < in.height(); ++y) {
    std::uint8_t* to = out.row(y);
    for (int x = 0; x < in.width(); ++x, to += channels) {
      const int row = std::clamp(y + shift(), 0, in.height() - 1);
      const int column = std::clamp(x + shift(), 0, in.width() - 1);
      std::memcpy(to, in.row(row) + static_cast<std::size_t>(column) * channels, channels);
    }
  }
}

}  // namespace sluice::kernels
