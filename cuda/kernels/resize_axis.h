// ResizeAxis: the weights of resizing along one axis, computed on the device. It is the ResizeTable
// of ops/, made by a team of threads: the same filter and the same steps in the same order, so the
// numbers are the same (for filters with sines, the last bit of a weight may differ). Internal to
// the resizing kernels.
//
// Ownership: none; the tables lie in the launch's scratch memory. Threads and errors: none.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/ops/kernels/resize_weight.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sluice::device {

// The pixels that contribute to an output pixel: `count` of them, from `start` on.
struct ResizeWindow {
  std::int32_t start, count;
};

// One axis of a sample. `start` and `length`: the part of the input to resize.
struct ResizeAxis {
  double start = 0, length = 0;
  std::int32_t in_length = 0, out_length = 0;
  std::int32_t taps = 0;  // the largest size of a window
  bool reversed = false;
  bool same = false;  // output pixel i is pixel i
  // In scratch memory: one window for each output pixel. weights[k * out_length + i] is the weight
  // of pixel k of window i, in units of 2^-shift.
  ResizeWindow* windows = nullptr;
  std::int16_t* weights = nullptr;
  std::int32_t* shift = nullptr;

  SLUICE_HOST_DEVICE std::size_t weight_count() const {
    return static_cast<std::size_t>(taps) * static_cast<std::size_t>(out_length);
  }
};

// Computes the exact weights of one output pixel.
class ResizeWeights {
 public:
  SLUICE_HOST_DEVICE ResizeWeights(const ResizeAxis& axis, const kernels::ResizeFilter& filter,
                                   int i)
      : interpolation_(filter.interpolation) {
    const double scale = axis.length / axis.out_length;
    const double filter_scale = kernels::resize_widening(filter, scale);
    const double support = kernels::resize_half_width(interpolation_) * filter_scale;
    unscale_ = 1.0 / filter_scale;
    centre_ = axis.start + (i + 0.5) * scale;
    const int first = static_cast<int>(floor(centre_ - support + 0.5));
    const int end = static_cast<int>(floor(centre_ + support + 0.5));
    window_.start = first > 0 ? first : 0;
    window_.count = 1;
    const int beyond = end < axis.in_length ? end : axis.in_length;
    double largest = 0.0;
    for (int x = window_.start; x < beyond; ++x) {
      const double weight = unscaled(x);
      sum_ += weight;
      largest = fabs(weight) > largest ? fabs(weight) : largest;
      if (weight != 0.0) window_.count = x - window_.start + 1;
    }
    if (sum_ == 0.0) {
      // The window has no weight (a box between two pixel centers): use the pixel at the center.
      const int at = static_cast<int>(centre_);
      window_.start = at < axis.in_length - 1 ? at : axis.in_length - 1;
      window_.count = 1;
      largest_ = 1.0;
    } else {
      largest_ = fabs(largest / sum_);
    }
  }

  SLUICE_HOST_DEVICE const ResizeWindow& window() const { return window_; }
  SLUICE_HOST_DEVICE double largest() const { return largest_; }
  // Returns the weight of pixel k of the window.
  SLUICE_HOST_DEVICE double weight(int k) const {
    return sum_ == 0.0 ? 1.0 : unscaled(window_.start + k) / sum_;
  }

 private:
  SLUICE_HOST_DEVICE double unscaled(int x) const {
    return kernels::resize_weight(interpolation_, (x - centre_ + 0.5) * unscale_);
  }

  Interpolation interpolation_;
  double unscale_ = 1, centre_ = 0, sum_ = 0, largest_ = 0;
  ResizeWindow window_{0, 1};
};

inline constexpr int kResizeLeastShift = 14, kResizeMostShift = 21;

// Rounds the running sum, so the weights add up to exactly one.
SLUICE_HOST_DEVICE inline void write_weights(const ResizeWeights& exact, int shift, int step,
                                             std::int16_t* weights) {
  const double one = static_cast<double>(1 << shift);
  const int count = exact.window().count;
  double running = 0.0;
  long rounded = 0;
  for (int k = 0; k < count; ++k, weights += step) {
    running += exact.weight(k);
    const long next = k + 1 == count ? 1L << shift : lrint(running * one);
    *weights = static_cast<std::int16_t>(next - rounded);
    rounded = next;
  }
}

// Makes the table of one axis. `largest`: kTeam numbers that the team shares.
SLUICE_HOST_DEVICE inline void make_resize_table(const ResizeAxis& axis,
                                                 const kernels::ResizeFilter& filter,
                                                 const Team& team, double* largest) {
  const int length = axis.out_length;
  ResizeWindow* const windows = device_view(axis.windows, static_cast<std::size_t>(length));
  const auto place = [&](int i) { return axis.reversed ? length - 1 - i : i; };
  if (filter.interpolation == Interpolation::nearest) {
    // Positions are added up one by one: this decides how exact halves are rounded.
    if (team.index != 0) return;
    const double scale = axis.length / length;
    double at = axis.start + scale * 0.5;
    for (int i = 0; i < length; ++i, at += scale) {
      const int pixel = static_cast<int>(at);
      windows[place(i)] = {pixel < axis.in_length - 1 ? pixel : axis.in_length - 1, 1};
    }
    return;
  }
  std::int16_t* const weights = device_view(axis.weights, axis.weight_count());
  std::int32_t* const shift = device_view(axis.shift, 1);
  if (axis.same) {
    if (team.index == 0) *shift = kResizeLeastShift;
    for (int i = team.index; i < length; i += kTeam) {
      windows[place(i)] = {i, 1};
      weights[i] = static_cast<std::int16_t>(1 << kResizeLeastShift);
    }
    return;
  }

  double mine = 0.0;
  for (int i = team.index; i < length; i += kTeam) {
    const ResizeWeights exact(axis, filter, i);
    windows[place(i)] = exact.window();
    mine = exact.largest() > mine ? exact.largest() : mine;
  }
  largest[team.index] = mine;
  team.sync();
  for (int step = kTeam / 2; step > 0; step /= 2) {
    if (team.index < step && largest[team.index + step] > largest[team.index])
      largest[team.index] = largest[team.index + step];
    team.sync();
  }
  // A weight must stay below 2^15.
  int bits = kResizeLeastShift;
  while (bits < kResizeMostShift && largest[0] * static_cast<double>(1 << (bits + 1)) < 32766.0)
    ++bits;
  if (team.index == 0) *shift = bits;
  for (int i = team.index; i < length; i += kTeam)
    write_weights(ResizeWeights(axis, filter, i), bits, length, weights + place(i));
}

}  // namespace sluice::device
