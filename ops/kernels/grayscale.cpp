#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/grayscale.h>
#include <sluice/ops/kernels/luma.h>
#include <sluice/ops/kernels/pixel_runs.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {

void check_gray_channels(int channels) {
  if (channels != 1 && channels != 3) {
    throw std::invalid_argument(
        fmt::format("grayscale: channels is {}; it must be 1 or 3", channels));
  }
}

void grayscale(const Image& in, int channels, Image& out) {
  check_colours("grayscale", in);
  check_gray_channels(channels);
  out.create(in.height(), in.width(), channels);
  for_each_run(in, out, [&](const std::uint8_t* from, std::size_t pixels, std::uint8_t* to) {
    const int before = in.channels();
    if (channels == 1) {
      if (before == 1) {
        std::copy_n(from, pixels, to);
      } else {
        luma_of_pixels(from, pixels, before, to);
      }
      return;
    }
    if (before == 1) return repeat_thrice(from, pixels, to);
    std::array<std::uint8_t, 1024> luma;
    for (std::size_t at = 0; at < pixels; at += luma.size()) {
      const std::size_t count = std::min(luma.size(), pixels - at);
      luma_of_pixels(from + at * static_cast<std::size_t>(before), count, before, luma.data());
      repeat_thrice(luma.data(), count, to + 3 * at);
    }
  });
}

}  // namespace sluice::kernels
