#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/grayscale.h>
#include <sluice/ops/kernels/luma.h>

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
  map_planes(in, channels, out, [&](Planes& planes, std::size_t count) {
    auto& [first, second, third, fourth] = planes.channel;
    if (in.channels() != 1) {
      luma_of_planes(planes, count, fourth.data());  // which no result has
      std::copy_n(fourth.data(), count, first.data());
    }
    if (channels == 1) return;
    std::copy_n(first.data(), count, second.data());
    std::copy_n(first.data(), count, third.data());
  });
}

}  // namespace sluice::kernels
