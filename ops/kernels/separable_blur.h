// separable_blur: blurs an image vertically and horizontally by two symmetric windows of weights,
// for the Gaussian blur. Internal to the blurring kernels.
//
// Beyond its border an image is mirrored about its outermost pixels, which are not repeated
// (d c b | a b c d | c b a: reflect 101), as often as the window needs it. Weights are
// integers that add up to a power of two; between the passes values have six fractional bits. The
// result is within 1 of the exact rounded sum.
//
// Threads: any; the tables and rows belong to the calling thread and only grow.
#pragma once

#include <sluice/ops/kernels/separable_rows.h>
#include <sluice/runtime/image.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace sluice::kernels {

inline constexpr int kLargestWindow = 255;

// Returns the weight of a pixel at a distance from the center. Any positive scale works, since the
// weights are divided by their sum.
using WeightOf = std::function<double(int distance)>;

// Converts the weights of one side of a window to integers. Keeps its memory for reuse.
class WindowSide {
 public:
  void build(int window, const WeightOf& weight_of);
  SideWeights view() const { return {weights_.data(), count(), bits_}; }
  int count() const { return static_cast<int>(weights_.size()); }

 private:
  bool fill(double sum);

  std::vector<double> exact_;
  std::vector<std::int16_t> weights_;
  int bits_ = 0;
};

// Throws std::invalid_argument unless the size is odd and in 1 .. kLargestWindow.
void check_window(const char* op, int window_size);

// Returns the pixel used for position i of a line of n, -kLargestWindow <= i < n + kLargestWindow.
int reflected(int i, int n);

// Writes the `margin` pixels before and after a row of n.
template <class T>
void reflect_ends(T* row, int n, int channels, int margin) {
  const auto pixel = [&](int x) { return row + static_cast<std::ptrdiff_t>(x) * channels; };
  for (int i = 1; i <= margin; ++i) {
    for (int c = 0; c < channels; ++c) {
      pixel(-i)[c] = pixel(reflected(-i, n))[c];
      pixel(n - 1 + i)[c] = pixel(reflected(n - 1 + i, n))[c];
    }
  }
}

// Windows are odd and at most kLargestWindow. `in` has 1 to 4 channels and is not empty.
void separable_blur(const Image& in, int window_y, const WeightOf& weight_y, int window_x,
                    const WeightOf& weight_x, Image& out);

}  // namespace sluice::kernels
