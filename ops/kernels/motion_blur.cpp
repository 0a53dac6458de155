#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/motion_blur.h>
#include <sluice/ops/kernels/pad.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numbers>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

// Weights by (row, column) from the pixel.
using Weights = std::map<std::pair<int, int>, double>;

// Noise of the angle's sine is no pixel of its own.
double tidy(double number) { return std::round(number * 1e9) / 1e9; }

Weights weights_of(int length, double degrees) {
  const double angle = std::remainder(degrees, 360.0) * std::numbers::pi / 180;
  Weights weights;
  for (int i = 0; i < length; ++i) {
    const double along = i - (length - 1) / 2.0;
    const double x = tidy(along * std::cos(angle)), y = tidy(-along * std::sin(angle));
    const double column = std::floor(x), row = std::floor(y);
    const double right = x - column, below = y - row;
    const auto add = [&](int r, int c, double weight) {
      if (weight > 0)
        weights[{static_cast<int>(row) + r, static_cast<int>(column) + c}] += weight / length;
    };
    add(0, 0, (1 - below) * (1 - right));
    add(0, 1, (1 - below) * right);
    add(1, 0, below * (1 - right));
    add(1, 1, below * right);
  }
  return weights;
}

void add_row(const std::uint8_t* __restrict from, float weight, std::size_t count,
             float* __restrict sums) {
  for (std::size_t i = 0; i < count; ++i) sums[i] += weight * static_cast<float>(from[i]);
}

}  // namespace

void motion_blur(const Image& in, int length, float degrees, Image& out) {
  check_pixels("motion_blur", in);
  check_size("motion_blur", in.height(), in.width());
  check_finite("motion_blur", "degrees", static_cast<double>(degrees));
  if (length < 1 || length > kLongestMotion) {
    throw std::invalid_argument(fmt::format("motion_blur: length must lie between 1 and {}, not {}",
                                            kLongestMotion, length));
  }
  const Weights weights = weights_of(length, static_cast<double>(degrees));
  int up = 0, left = 0, down = 0, right = 0;
  for (const auto& [place, weight] : weights) {
    up = std::max(up, -place.first);
    down = std::max(down, place.first);
    left = std::max(left, -place.second);
    right = std::max(right, place.second);
  }
  Image wide;
  pad(in, {left, up, right, down}, Border::reflect, 0, wide);
  out.create(in.height(), in.width(), in.channels());
  std::vector<float> sums(in.row_bytes());
  for (int y = 0; y < in.height(); ++y) {
    std::fill(sums.begin(), sums.end(), 0.5f);
    for (const auto& [place, weight] : weights) {
      const std::uint8_t* const from =
          wide.row(y + up + place.first) +
          static_cast<std::ptrdiff_t>(left + place.second) * in.channels();
      add_row(from, static_cast<float>(weight), sums.size(), sums.data());
    }
    std::uint8_t* const to = out.row(y);
    for (std::size_t i = 0; i < sums.size(); ++i)
      to[i] = static_cast<std::uint8_t>(std::min(sums[i], 255.f));
  }
}

}  // namespace sluice::kernels
