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
  out.create(in.height(), in.width(), channels);
  Planes planes;
  const auto width = static_cast<std::size_t>(in.width());
  for (int y = 0; y < in.height(); ++y) {
    for (std::size_t x = 0; x < width; x += kPlanePixels) {
      const std::size_t count = std::min(kPlanePixels, width - x);
      const std::uint8_t* from = in.row(y) + x * static_cast<std::size_t>(in.channels());
      auto& gray = planes.channel[0];
      if (in.channels() == 1) {
        std::copy_n(from, count, gray.data());
      } else {
        split_planes(from, count, in.channels(), planes);
        luma_of_planes(planes, count, gray.data());
      }
      if (channels == 1) {
        std::copy_n(gray.data(), count, out.row(y) + x);
      } else {
        std::copy_n(gray.data(), count, planes.channel[1].data());
        std::copy_n(gray.data(), count, planes.channel[2].data());
        join_planes(planes, count, 3, out.row(y) + 3 * x);
      }
    }
  }
}

}  // namespace sluice::kernels
