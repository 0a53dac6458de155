#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/blur.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

struct Room {
  WindowSide down, across;
  std::vector<const std::uint8_t*> above, below;
  std::vector<std::int16_t> levels;  // a row with its reflections on both sides
};

}  // namespace

void WindowSide::build(int window, const WeightOf& weight_of) {
  const int radius = window / 2;
  exact_.clear();
  double sum = 0;
  for (int i = 0; i <= radius; ++i) {
    exact_.push_back(weight_of(i));
    sum += (i == 0 ? 1 : 2) * exact_.back();
  }
  // Use as many bits as the center, the largest weight, allows.
  for (bits_ = 17; !fill(sum); --bits_) {
  }
  if (weights_.size() % 2 != 0) weights_.push_back(0);
}

bool WindowSide::fill(double sum) {
  const double scale = static_cast<double>(1 << bits_) / sum;
  weights_.assign(1, 0);
  long center = 1L << bits_;
  for (std::size_t i = 1; i < exact_.size(); ++i) {
    const long weight = std::lround(exact_[i] * scale);
    if (weight > INT16_MAX) return false;
    weights_.push_back(static_cast<std::int16_t>(weight));
    center -= 2 * weight;
  }
  if (center > INT16_MAX) return false;
  weights_[0] = static_cast<std::int16_t>(center);
  return true;
}

void check_window(const char* op, int window_size) {
  if (window_size < 1 || window_size > kLargestWindow || window_size % 2 == 0) {
    throw std::invalid_argument(
        fmt::format("{}: window_size must be an odd number between 1 and {}, not {}", op,
                    kLargestWindow, window_size));
  }
}

int reflected(int i, int n) {
  if (n == 1) return 0;
  const int period = 2 * (n - 1);
  i = std::abs(i) % period;
  return i < n ? i : period - i;
}

void separable_blur(const Image& in, int window_y, const WeightOf& weight_y, int window_x,
                    const WeightOf& weight_x, Image& out) {
  thread_local Room room;
  room.down.build(window_y, weight_y);
  room.across.build(window_x, weight_x);
  const int channels = in.channels();
  const int margin = room.across.count();
  const std::size_t before = static_cast<std::size_t>(margin) * static_cast<std::size_t>(channels);
  const std::size_t needed = before + in.row_bytes() + before;
  if (room.levels.size() < needed) room.levels.resize(needed);
  const auto reach = static_cast<std::size_t>(room.down.count());
  room.above.resize(reach);
  room.below.resize(reach);
  std::int16_t* levels = room.levels.data() + before;

  out.create(in.height(), in.width(), channels);
  for (int y = 0; y < in.height(); ++y) {
    for (std::size_t k = 0; k < reach; ++k) {
      const int distance = static_cast<int>(k);
      room.above[k] = in.row(reflected(y - distance, in.height()));
      room.below[k] = in.row(reflected(y + distance, in.height()));
    }
    weigh_rows(room.above.data(), room.below.data(), room.down.view(), in.row_bytes(), levels);
    reflect_ends(levels, in.width(), channels, margin);
    weigh_neighbors(levels, channels, room.across.view(), in.row_bytes(), out.row(y));
  }
}

namespace {

struct BoxRoom {
  std::vector<std::uint16_t> sums;  // column sums, with reflected ones on both sides
  std::vector<std::uint32_t> boxes;
};

}  // namespace

void box_blur(const Image& in, int window_size, Image& out) {
  check_pixels("box_blur", in);
  check_window("box_blur", window_size);
  const int height = in.height(), channels = in.channels(), reach = window_size / 2;
  const std::size_t row = in.row_bytes();
  out.create(height, in.width(), channels);
  if (window_size == 1) {
    for (int y = 0; y < height; ++y) std::memcpy(out.row(y), in.row(y), row);
    return;
  }

  thread_local BoxRoom room;
  const auto before = static_cast<std::size_t>(reach) * static_cast<std::size_t>(channels);
  const std::size_t all = before + row + before + kBoxSlack;
  if (room.sums.size() < all) room.sums.resize(all);
  if (room.boxes.size() < 2 * all) room.boxes.resize(2 * all);
  std::uint16_t* const sums = room.sums.data() + before;
  std::fill_n(sums, row, std::uint16_t{0});
  for (int k = -reach; k < reach; ++k) move_box(in.row(reflected(k, height)), nullptr, row, sums);
  for (int y = 0; y < height; ++y) {
    move_box(in.row(reflected(y + reach, height)),
             y == 0 ? nullptr : in.row(reflected(y - 1 - reach, height)), row, sums);
    reflect_ends(sums, in.width(), channels, reach);
    means_of_boxes(room.sums.data(), channels, window_size, row, room.boxes.data(), out.row(y));
  }
}

namespace {

void check_sigma(const char* name, float sigma) {
  check_finite("gaussian_blur", name, sigma);
  if (sigma < 0 || sigma > kLargestSigma) {
    throw std::invalid_argument(fmt::format("gaussian_blur: {} is {}; it must lie between 0 and {}",
                                            name, sigma, kLargestSigma));
  }
}

WeightOf gaussian(float sigma) {
  return [scale = -0.5 / (double{sigma} * double{sigma})](int distance) {
    return distance == 0 ? 1.0 : std::exp(scale * distance * distance);
  };
}

}  // namespace

int window_of_sigma(float sigma) { return 2 * static_cast<int>(std::ceil(3 * sigma)) + 1; }

float sigma_of_window(int window_size) { return 0.15f * static_cast<float>(window_size) + 0.35f; }

GaussianWindows gaussian_windows(const GaussianBlurParams& params) {
  check_sigma("sigma", params.sigma);
  check_sigma("sigma_y", params.sigma_y);
  const int window = params.window_size;
  if (window != 0) check_window("gaussian_blur", window);
  if (params.sigma == 0 && window == 0)
    throw std::invalid_argument("gaussian_blur: give sigma, window_size or both");
  const float sigma_x = params.sigma > 0 ? params.sigma : sigma_of_window(window);
  const float sigma_y = params.sigma_y > 0 ? params.sigma_y : sigma_x;
  return {window > 0 ? window : window_of_sigma(sigma_y),
          window > 0 ? window : window_of_sigma(sigma_x), gaussian(sigma_y), gaussian(sigma_x)};
}

void gaussian_blur(const Image& in, const GaussianBlurParams& params, Image& out) {
  check_pixels("gaussian_blur", in);
  const GaussianWindows windows = gaussian_windows(params);
  separable_blur(in, windows.down, windows.weight_down, windows.across, windows.weight_across, out);
}

}  // namespace sluice::kernels
