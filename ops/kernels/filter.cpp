#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/blur.h>
#include <sluice/ops/kernels/filter.h>
#include <sluice/ops/kernels/level_rows.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
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

// The rows of a window as floats, with reflected pixels at their ends; row y is in slot y % rows.
class Window {
 public:
  // Offsets are at most `radius` rows and `margin` columns.
  void start(const Image& in, int radius, int margin) {
    in_ = &in;
    rows_ = 2 * radius + 1;
    margin_ = margin;
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

// Replaces each pixel value by the weighted sum of those around it, and reflects borders. Sums
// start at 0 and are rounded to nearest.
void weigh_window(const Image& in, std::span<const WindowWeight> weights, Image& out) {
  int radius = 0, margin = 0;
  for (const WindowWeight& one : weights) {
    radius = std::max(radius, std::abs(one.row));
    margin = std::max(margin, std::abs(one.column));
  }
  thread_local Window window;
  window.start(in, radius, margin);
  out.create(in.height(), in.width(), in.channels());
  const int height = in.height();
  thread_local std::vector<WeightedRow> rows;
  rows.resize(weights.size());
  for (int y = 0; y < height; ++y) {
    window.make(std::min(height - 1, y + radius));
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const auto& [row, column, weight] = weights[i];
      const std::ptrdiff_t first = std::ptrdiff_t{margin + column} * in.channels();
      rows[i] = {window.slot(reflected(y + row, height)) + first, weight};
    }
    sum_weighted_rows(rows, in.row_bytes(), out.row(y));
  }
}

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
  std::array<WindowWeight, kLargestFilter * kLargestFilter> weights;
  std::size_t count = 0;
  const float* weight = filter.weights.data();
  for (int r = 0; r < filter.rows; ++r) {
    for (int c = 0; c < filter.columns; ++c, ++weight)
      if (*weight != 0) weights[count++] = {r - filter.rows / 2, c - filter.columns / 2, *weight};
  }
  weigh_window(in, {weights.data(), count}, out);
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

}  // namespace

std::vector<WindowWeight> motion_weights(int length, float degrees) {
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
  std::vector<WindowWeight> all;
  for (const auto& [place, weight] : weights)
    all.push_back({place.first, place.second, static_cast<float>(weight)});
  return all;
}

void motion_blur(const Image& in, int length, float degrees, Image& out) {
  check_pixels("motion_blur", in);
  check_size("motion_blur", in.height(), in.width());
  weigh_window(in, motion_weights(length, degrees), out);
}

std::vector<WindowWeight> defocus_weights(int radius, float alias_blur) {
  // Smaller weights do not change the result. A narrow Gaussian has subnormal ones, which are slow.
  constexpr double kSmallestDefocus = 0x1p-30;
  if (radius < 1 || radius > kLargestDefocus) {
    throw std::invalid_argument(
        fmt::format("defocus: radius must lie between 1 and {}, not {}", kLargestDefocus, radius));
  }
  if (!(alias_blur >= 0 && alias_blur <= kLargestAliasBlur)) {
    throw std::invalid_argument(fmt::format(
        "defocus: alias_blur is {}; it must lie between 0 and {}", alias_blur, kLargestAliasBlur));
  }
  // The Gaussian by distance, and the distance from which it is 0.
  std::array<double, 3> gaussian{1, 0, 0};
  const int reach = alias_blur == 0 ? 0 : radius <= 8 ? 1 : 2;
  for (int i = 1; i <= reach; ++i) {
    const double t = i / static_cast<double>(alias_blur);
    gaussian.at(static_cast<std::size_t>(i)) = std::exp(-0.5 * t * t);
  }
  const auto share = [&](int distance) {
    return gaussian.at(static_cast<std::size_t>(std::abs(distance)));
  };
  const int most = radius + reach;
  std::vector<double> exact;
  double sum = 0;
  for (int row = -most; row <= most; ++row) {
    for (int column = -most; column <= most; ++column) {
      double weight = 0;
      for (int y = row - reach; y <= row + reach; ++y) {
        for (int x = column - reach; x <= column + reach; ++x)
          if (y * y + x * x <= radius * radius) weight += share(y - row) * share(x - column);
      }
      exact.push_back(weight);
      sum += weight;
    }
  }
  std::vector<WindowWeight> all;
  std::size_t next = 0;
  for (int row = -most; row <= most; ++row) {
    for (int column = -most; column <= most; ++column) {
      const double weight = exact[next++] / sum;
      if (weight >= kSmallestDefocus) all.push_back({row, column, static_cast<float>(weight)});
    }
  }
  return all;
}

void defocus(const Image& in, int radius, float alias_blur, Image& out) {
  check_pixels("defocus", in);
  check_size("defocus", in.height(), in.width());
  weigh_window(in, defocus_weights(radius, alias_blur), out);
}

}  // namespace sluice::kernels
