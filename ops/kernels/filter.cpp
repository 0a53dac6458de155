#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/blur.h>
#include <sluice/ops/kernels/filter.h>
#include <sluice/ops/kernels/level_rows.h>
#include <sluice/ops/kernels/moves.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <numbers>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

// The rows of one window as floats, with reflected pixels at their ends; row y is in slot y % rows.
class Window {
 public:
  void start(const Image& in, const FilterWeights& filter) {
    in_ = &in;
    rows_ = filter.rows;
    margin_ = filter.columns / 2;
    channels_ = in.channels();
    const int wide = in.width() + 2 * margin_;
    wide_ = static_cast<std::size_t>(wide) * static_cast<std::size_t>(channels_);
    const std::size_t needed = wide_ * static_cast<std::size_t>(rows_);
    if (room_.size() < needed) room_.resize(needed);
    made_ = 0;
  }
  // Makes the rows up to y; y never decreases.
  void make(int y) {
    for (; made_ <= y; ++made_) {
      const std::uint8_t* from = in_->row(made_);
      float* to = slot(made_) + margin_ * channels_;
      floats_of_levels(from, in_->row_bytes(), to);
      const int n = in_->width();
      for (int i = 1; i <= margin_; ++i) {
        for (int c = 0; c < channels_; ++c) {
          to[-i * channels_ + c] = from[reflected(-i, n) * channels_ + c];
          to[(n - 1 + i) * channels_ + c] = from[reflected(n - 1 + i, n) * channels_ + c];
        }
      }
    }
  }
  float* slot(int y) { return room_.data() + static_cast<std::size_t>(y % rows_) * wide_; }

 private:
  const Image* in_ = nullptr;
  int rows_ = 0, margin_ = 0, channels_ = 0, made_ = 0;
  std::size_t wide_ = 0;
  std::vector<float> room_;
};

}  // namespace

void check_filter(const FilterWeights& filter) {
  const auto check_side = [](const char* name, int length) {
    if (length < 1 || length > kLargestFilter || length % 2 == 0) {
      throw std::invalid_argument(
          fmt::format("filter_2d: {} must be an odd number between 1 and {}, not {}", name,
                      kLargestFilter, length));
    }
  };
  check_side("rows", filter.rows);
  check_side("columns", filter.columns);
  for (const float weight : filter.weights) {
    if (!(std::abs(weight) <= kLargestWeight)) {
      throw std::invalid_argument(
          fmt::format("filter_2d: a weight is {}; its absolute value must not exceed {}", weight,
                      kLargestWeight));
    }
  }
}

void filter_2d(const Image& in, const FilterWeights& filter, Image& out) {
  check_pixels("filter_2d", in);
  check_filter(filter);
  thread_local Window window;
  window.start(in, filter);
  out.create(in.height(), in.width(), in.channels());
  const int height = in.height(), up = filter.rows / 2;
  const std::size_t bytes = in.row_bytes();
  std::array<WeightedRow, kLargestFilter * kLargestFilter> rows;
  for (int y = 0; y < height; ++y) {
    window.make(std::min(height - 1, y + up));
    std::size_t count = 0;
    const float* weight = filter.weights.data();
    for (int r = 0; r < filter.rows; ++r) {
      const float* row = window.slot(reflected(y + r - up, height));
      for (int c = 0; c < filter.columns; ++c, ++weight)
        if (*weight != 0) rows[count++] = {row + c * in.channels(), *weight};
    }
    sum_weighted_rows({rows.data(), count}, bytes, out.row(y));
  }
}

namespace {

using Line = std::vector<float>;

Line convolved(const Line& a, const Line& b) {
  Line sums(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) sums[i + k] += a[i] * b[k];
  }
  return sums;
}

}  // namespace

FilterWeights laplacian_weights(int window_size, float scale) {
  if (window_size != 1 && window_size != 3 && window_size != 5 && window_size != 7) {
    throw std::invalid_argument(
        fmt::format("laplacian: window_size must be 1, 3, 5 or 7, not {}", window_size));
  }
  if (!(scale >= -kLargestLaplacianScale && scale <= kLargestLaplacianScale)) {
    throw std::invalid_argument(fmt::format("laplacian: scale is {}; it must lie between {} and {}",
                                            scale, -kLargestLaplacianScale,
                                            kLargestLaplacianScale));
  }
  Line change{1, -2, 1}, smooth{1, 2, 1};
  if (window_size == 1) smooth = {0, 1, 0};
  for (int size = 3; size < window_size; size += 2) {
    change = convolved(change, {1, 2, 1});
    smooth = convolved(smooth, {1, 2, 1});
  }
  FilterWeights filter;
  filter.rows = filter.columns = static_cast<int>(change.size());
  std::size_t i = 0;
  for (std::size_t y = 0; y < change.size(); ++y) {
    for (std::size_t x = 0; x < change.size(); ++x)
      filter.weights[i++] = scale * (change[y] * smooth[x] + smooth[y] * change[x]);
  }
  return filter;
}

void laplacian(const Image& in, int window_size, float scale, Image& out) {
  check_pixels("laplacian", in);
  filter_2d(in, laplacian_weights(window_size, scale), out);
}

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

void check_morphology(const char* op, const Image& in, const MorphologyWindow& window) {
  check_pixels(op, in);
  const auto check_side = [&](const char* name, int size) {
    if (size >= 1 && size <= kLargestMorphologyWindow) return;
    throw std::invalid_argument(fmt::format("{}: {} must lie between 1 and {}, not {}", op, name,
                                            kLargestMorphologyWindow, size));
  };
  check_side("window_height", window.height);
  check_side("window_width", window.width);
}

namespace {

using PickOfRows = void(std::span<const std::uint8_t* const> rows, std::size_t size,
                        std::uint8_t* out);

// First picks among the horizontal neighbors of each row, then among these results vertically. Only
// as many rows are kept as the window is high: row y is in slot y % kept. `none` is a value that is
// never picked.
void run(const char* op, const Image& in, const MorphologyWindow& window, std::uint8_t none,
         PickOfRows* pick, Image& out) {
  check_morphology(op, in, window);
  out.create(in.height(), in.width(), in.channels());
  const std::size_t bytes = in.row_bytes(), channels = static_cast<std::size_t>(in.channels());
  const auto across = static_cast<std::size_t>(window.width);
  std::vector<std::uint8_t> padded(bytes + (across - 1) * channels, none);
  const int kept = std::min(window.height, in.height());
  std::vector<std::uint8_t> room(bytes * static_cast<std::size_t>(kept));
  const auto slot = [&](int y) { return room.data() + bytes * static_cast<std::size_t>(y % kept); };
  std::vector<const std::uint8_t*> neighbors;
  for (std::size_t k = 0; k < across; ++k) neighbors.push_back(padded.data() + k * channels);
  std::vector<const std::uint8_t*> rows;
  int made = 0;
  for (int y = 0; y < in.height(); ++y) {
    const int first = y - window.height / 2;
    const int end = std::min(in.height(), first + window.height);
    for (; made < end; ++made) {
      std::memcpy(padded.data() + across / 2 * channels, in.row(made), bytes);
      pick(neighbors, bytes, slot(made));
    }
    rows.clear();
    for (int k = std::max(0, first); k < end; ++k) rows.push_back(slot(k));
    pick(rows, bytes, out.row(y));
  }
}

}  // namespace

void dilate(const Image& in, const MorphologyWindow& window, Image& out) {
  run("dilate", in, window, 0, largest_of_rows, out);
}
void erode(const Image& in, const MorphologyWindow& window, Image& out) {
  run("erode", in, window, 255, smallest_of_rows, out);
}

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
