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

// Removes rounding noise of sine and cosine, which would add pixels.
double tidy(double number) { return std::round(number * 1e9) / 1e9; }

void add_row(const std::uint8_t* __restrict from, float weight, std::size_t count,
             float* __restrict sums) {
  for (std::size_t i = 0; i < count; ++i) sums[i] += weight * static_cast<float>(from[i]);
}

}  // namespace

std::vector<MotionWeight> motion_weights(int length, float degrees) {
  check_finite("motion_blur", "degrees", static_cast<double>(degrees));
  if (length < 1 || length > kLongestMotion) {
    throw std::invalid_argument(fmt::format("motion_blur: length must lie between 1 and {}, not {}",
                                            kLongestMotion, length));
  }
  const double angle = std::remainder(static_cast<double>(degrees), 360.0) * std::numbers::pi / 180;
  std::map<std::pair<int, int>, double> weights;  // by row and column
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
  std::vector<MotionWeight> all;
  for (const auto& [place, weight] : weights)
    all.push_back({place.first, place.second, static_cast<float>(weight)});
  return all;
}

void motion_blur(const Image& in, int length, float degrees, Image& out) {
  check_pixels("motion_blur", in);
  check_size("motion_blur", in.height(), in.width());
  const std::vector<MotionWeight> weights = motion_weights(length, degrees);
  int up = 0, left = 0, down = 0, right = 0;
  for (const MotionWeight& one : weights) {
    up = std::max(up, -one.row);
    down = std::max(down, one.row);
    left = std::max(left, -one.column);
    right = std::max(right, one.column);
  }
  Image wide;
  pad(in, {left, up, right, down}, Border::reflect, 0, wide);
  out.create(in.height(), in.width(), in.channels());
  std::vector<float> sums(in.row_bytes());
  for (int y = 0; y < in.height(); ++y) {
    std::fill(sums.begin(), sums.end(), 0.5f);
    for (const MotionWeight& one : weights) {
      const std::uint8_t* const from =
          wide.row(y + up + one.row) +
          static_cast<std::ptrdiff_t>(left + one.column) * in.channels();
      add_row(from, one.weight, sums.size(), sums.data());
    }
    std::uint8_t* const to = out.row(y);
    for (std::size_t i = 0; i < sums.size(); ++i)
      to[i] = static_cast<std::uint8_t>(std::min(sums[i], 255.f));
  }
}

}  // namespace sluice::kernels
