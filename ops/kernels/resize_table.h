// ResizeTable: the input pixels and weights of each output pixel along one axis. Internal to the
// resizing kernels.
//
// Weights are 16-bit fixed point numbers with shift() fractional bits. For every output pixel they
// sum to exactly 1 << shift(). shift() is as large as the largest weight allows, so that a
// strong reduction, which has many small weights, keeps its precision.
#pragma once

#include <sluice/ops/kernels/interpolation.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::kernels {

// A part of an axis in pixels, possibly fractional.
struct AxisPart {
  double start = 0;
  double length = 0;
  bool operator==(const AxisPart&) const = default;
};

// Pixels begin .. end - 1 of an axis.
struct AxisRange {
  int begin = 0;
  int end = 0;
};

// Returns the input pixels, of `in_length`, that contribute to the pixels `shown` of `part` resized
// to `out_length`, or a few more.
AxisRange touched(int in_length, const AxisPart& part, int out_length, const ResizeFilter& filter,
                  const AxisRange& shown);

class ResizeTable {
 public:
  // Builds the table. Lengths are in pixels, each at least 1. The output shows `part` of the input.
  // `reversed` builds the output from its far end (a mirrored image). Each output pixel has taps()
  // weights, a multiple of `tap_multiple`; those beyond its own count() are zero. Returns false,
  // and keeps the table, if the request equals the last one.
  bool build(int in_length, const AxisPart& part, int out_length, const ResizeFilter& filter,
             bool reversed, int tap_multiple);

  int taps() const { return taps_; }
  int shift() const { return shift_; }
  int start(int i) const { return starts_[static_cast<std::size_t>(i)]; }
  int count(int i) const { return counts_[static_cast<std::size_t>(i)]; }
  const int* starts() const { return starts_.data(); }
  const std::int16_t* weights(int i) const {
    return weights_.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(taps_);
  }

 private:
  struct Request {
    int in_length = 0;
    AxisPart part;
    int out_length = 0;
    ResizeFilter filter;
    bool reversed = false;
    int tap_multiple = 0;
    bool operator==(const Request&) const = default;
  };

  Request built_;  // out_length is 0 if empty
  int taps_ = 0;
  int shift_ = 0;
  std::vector<int> starts_;
  std::vector<int> counts_;
  std::vector<std::int16_t> weights_;
  std::vector<double> exact_;  // the weights before rounding, taps_ per output pixel
};

}  // namespace sluice::kernels
