#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/filter_2d.h>
#include <sluice/ops/kernels/filter_rows.h>
#include <sluice/ops/kernels/separable_blur.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
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

}  // namespace sluice::kernels
