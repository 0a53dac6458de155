// The formulas of resize and rotate on tensors: how a sum becomes an element, and what a position
// between pixels is computed from. The host and GPU kernels share this code; GPU kernels can call
// constexpr functions. Internal to the kernels of tensor_images.h.
//
// Ownership: none. Threads: any. Errors: none.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace sluice::kernels {

// Converts a result; whole numbers are rounded and clipped.
template <class T>
constexpr T stored(double value) {
  if constexpr (std::is_integral_v<T>) {
    constexpr double kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
    const double clipped = (value < kLow ? kLow : value > kHigh ? kHigh : value) + 0.5;
    const auto whole = static_cast<std::int64_t>(clipped);
    return static_cast<T>(static_cast<double>(whole) > clipped ? whole - 1 : whole);
  } else {
    return static_cast<T>(value);
  }
}

// The pixels and weights along one axis that a position between pixels is computed from: two of
// them, or four for bicubic.
struct PixelTaps {
  std::int64_t at[4];
  double weights[4];
};

// `place`: relative to the middle of pixel 0, in units of 2^-32 pixels. Pixels beyond the border
// are replaced by the nearest one. bicubic: Keys' convolution with a = -0.75, as in remap_rows.h.
constexpr PixelTaps pixel_taps(std::int64_t place, int length, bool bicubic) {
  const std::int64_t pixel = place >> 32;
  const double t = static_cast<double>(place & 0xffffffff) * 0x1p-32;
  const double rest = 1 - t;
  PixelTaps taps{};
  if (bicubic) {
    constexpr double kA = -0.75;
    taps.weights[0] = kA * t * rest * rest;
    taps.weights[1] = ((kA + 2) * t - (kA + 3)) * t * t + 1;
    taps.weights[2] = ((kA + 2) * rest - (kA + 3)) * rest * rest + 1;
    taps.weights[3] = kA * rest * t * t;
  } else {
    taps.weights[0] = rest;
    taps.weights[1] = t;
  }
  for (int k = 0; k < 4; ++k) {
    const std::int64_t at = pixel + k - (bicubic ? 1 : 0);
    taps.at[k] = at < 0 ? 0 : at > length - 1 ? length - 1 : at;
  }
  return taps;
}

// Returns one channel of a position between pixels. `in`: the channel of the first pixel; `row` and
// `pixel`: the elements from one row, and from one pixel, to the next.
template <class T>
constexpr T blended(const T* in, std::int64_t row, std::int64_t pixel, const PixelTaps& across,
                    const PixelTaps& down, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    double part = 0;
    for (int k = 0; k < count; ++k)
      part += across.weights[k] * static_cast<double>(in[down.at[i] * row + across.at[k] * pixel]);
    sum += down.weights[i] * part;
  }
  return stored<T>(sum);
}

}  // namespace sluice::kernels
