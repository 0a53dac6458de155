#include <sluice/ops/kernels/resize_table.h>
#include <sluice/ops/kernels/resize_weight.h>

#include <algorithm>
#include <cmath>

namespace sluice::kernels {

AxisRange touched(int in_length, const AxisPart& part, int out_length, const ResizeFilter& filter,
                  const AxisRange& shown) {
  const double scale = part.length / out_length;
  // One more, so that rounding does not matter.
  const double support =
      resize_half_width(filter.interpolation) * resize_widening(filter, scale) + 1.0;
  const double first = part.start + (shown.begin + 0.5) * scale - support;
  const double last = part.start + (shown.end - 0.5) * scale + support;
  return {std::clamp(static_cast<int>(std::floor(first)), 0, in_length - 1),
          std::clamp(static_cast<int>(std::ceil(last)), 1, in_length)};
}

bool ResizeTable::build(int in_length, const AxisPart& part, int out_length,
                        const ResizeFilter& filter, bool reversed, int tap_multiple) {
  const Request request{in_length, part, out_length, filter, reversed, tap_multiple};
  if (request == built_) return false;
  built_ = {};
  const double scale = part.length / out_length;
  const double filter_scale = resize_widening(filter, scale);
  const double unscale = 1.0 / filter_scale;
  const double support = resize_half_width(filter.interpolation) * filter_scale;
  const int longest = std::min(in_length, static_cast<int>(std::ceil(support)) * 2 + 1);
  taps_ = (longest + tap_multiple - 1) / tap_multiple * tap_multiple;

  const std::size_t outputs = static_cast<std::size_t>(out_length);
  const std::size_t taps = static_cast<std::size_t>(taps_);
  starts_.resize(outputs);
  counts_.resize(outputs);
  exact_.resize(outputs * taps);
  int most = 1;
  double largest = 0.0;
  for (int i = 0; i < out_length; ++i) {
    const std::size_t at = static_cast<std::size_t>(reversed ? out_length - 1 - i : i);
    double* exact = exact_.data() + at * taps;
    const double centre = part.start + (i + 0.5) * scale;
    const int first = std::max(0, static_cast<int>(std::floor(centre - support + 0.5)));
    const int end = std::min(in_length, static_cast<int>(std::floor(centre + support + 0.5)));
    double sum = 0.0;
    int count = 0;
    for (int x = first; x < end; ++x) {
      exact[count] = resize_weight(filter.interpolation, (x - centre + 0.5) * unscale);
      sum += exact[count++];
    }
    if (sum == 0.0) {
      // The window has no weight (a box between two centers): use the pixel at the center.
      starts_[at] = std::min(in_length - 1, static_cast<int>(centre));
      counts_[at] = 1;
      exact[0] = 1.0;
      largest = 1.0;
      continue;
    }
    for (int k = 0; k < count; ++k) {
      exact[k] /= sum;
      largest = std::max(largest, std::abs(exact[k]));
    }
    while (count > 1 && exact[count - 1] == 0.0) --count;
    starts_[at] = first;
    counts_[at] = count;
    most = std::max(most, count);
  }

  // A weight must be below 2^15, and the sum of weights times 255 below 2^31. (For Lanczos the
  // absolute weights sum to less than 2.)
  shift_ = 14;
  while (shift_ < 21 && largest * static_cast<double>(1 << (shift_ + 1)) < 32766.0) ++shift_;
  const double one = static_cast<double>(1 << shift_);
  const int used_taps = (most + tap_multiple - 1) / tap_multiple * tap_multiple;
  weights_.resize(outputs * static_cast<std::size_t>(used_taps));
  std::int16_t* weights = weights_.data();
  for (std::size_t i = 0; i < outputs; ++i, weights += used_taps) {
    // Rounding the running sum, not each weight, makes the total exact and spreads the error.
    double running = 0.0;
    long rounded = 0;
    for (int k = 0; k < counts_[i]; ++k) {
      running += exact_[i * taps + static_cast<std::size_t>(k)];
      const long next = k + 1 == counts_[i] ? 1L << shift_ : std::lrint(running * one);
      weights[k] = static_cast<std::int16_t>(next - rounded);
      rounded = next;
    }
    std::fill(weights + counts_[i], weights + used_taps, std::int16_t{0});
  }
  taps_ = used_taps;
  built_ = request;
  return true;
}

}  // namespace sluice::kernels
