// box_blur and gaussian_blur: replace each pixel by a mean of those around it. Also the separable
// blur and the inner loops of both.
//
// Beyond its border an image is mirrored about its outermost pixels, which are not repeated, as
// often as the window needs it ("reflect 101"):
//
//   d c b | a b c d | c b a
//
// Threads: any; tables and rows belong to the calling thread and only grow. Errors:
// std::invalid_argument, as each operator's comment says.
#pragma once

#include <sluice/runtime/image.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace sluice::kernels {

// The number of fractional bits of values between the two passes.
inline constexpr int kLevelBits = 6;

// One side of a symmetric window: weights[0] is the center's, weights[i] that of both positions at
// distance i. The weights of the whole window sum to 2^bits. There are count weights, the last of
// which may be zero; count is even.
struct SideWeights {
  const std::int16_t* weights = nullptr;
  int count = 0;
  int bits = 0;  // 14 to 17
};

// separable_blur: blurs an image vertically and horizontally by two symmetric windows of weights,
// for the Gaussian blur. Weights are integers that add up to a power of two; between the passes
// values have six fractional bits. The result is within 1 of the exact rounded sum.

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

// The inner loops of the separable blur, in blur_rows.cpp: one row at a time. All results are
// integers and the same on every machine.

// out[i] = the weighted sum of above[k][i] and below[k][i], with kLevelBits fractional bits, for i
// < size. above[0] and below[0] are both the center row.
void weigh_rows(const std::uint8_t* const* above, const std::uint8_t* const* below,
                const SideWeights& side, std::size_t size, std::int16_t* out);

// out[i] = the weighted sum of in[i - k * step] and in[i + k * step], rounded to 8 bits, for i <
// size. `in` must be readable for count * step values before its first and after its last position.
void weigh_neighbors(const std::int16_t* in, std::ptrdiff_t step, const SideWeights& side,
                     std::size_t size, std::uint8_t* out);

// box_blur: replaces each pixel by the mean of a square around it, rounded to nearest.
//
// Borders are reflected without repeating the outermost pixel. The column sums move down the image
// with the square, so its height costs nothing.
//
// Errors: an empty image, more than 4 channels, or a window that is even or not in 1 .. 255.
void box_blur(const Image& in, int window_size, Image& out);

// The inner loops, in blur_rows.cpp. They may read and write this many numbers beyond the ends
// of `sums` and `room`.
inline constexpr std::size_t kBoxSlack = 64;
// Adds a row to the column sums, and subtracts another row if there is one.
void move_box(const std::uint8_t* enters, const std::uint8_t* leaves, std::size_t size,
              std::uint16_t* sums);
// Each result is the mean of a box of `window` sums, `step` apart, the first at the position of the
// result. `window` is odd, 3 to 255. `room` must hold two rows and two windows.
void means_of_boxes(const std::uint16_t* sums, std::ptrdiff_t step, int window, std::size_t size,
                    std::uint32_t* room, std::uint8_t* out);

// gaussian_blur: replaces each pixel by the mean of those around it, weighted by a Gaussian.
//
// The weight at distance i along an axis is exp(-i^2 / (2 sigma^2)), divided by the sum over the
// window. If only sigma is given, the window is 2 * ceil(3 sigma) + 1 pixels long. If only the
// window is given, sigma is 0.15 * window + 0.35. These are the formulas of DALI, torchvision and
// OpenCV. Borders are reflected without repeating the outermost pixel. The result is within 1 of
// the exact rounded sum: see separable_blur().
//
// Errors: an empty image, more than 4 channels, a sigma outside 0 .. kLargestSigma, a window that
// is even or longer than 255, and if neither is given.

// Its window is close to the longest one allowed.
inline constexpr float kLargestSigma = 42;

struct GaussianBlurParams {
  float sigma = 0;      // in pixels; 0: follows from the window
  float sigma_y = 0;    // along the columns; 0: the same as sigma
  int window_size = 0;  // odd, for both axes; 0: follows from sigma
};

// The two formulas.
int window_of_sigma(float sigma);
float sigma_of_window(int window_size);

// The windows and sigmas of both axes. Throws for parameters out of range.
struct GaussianWindows {
  int down = 1, across = 1;
  WeightOf weight_down, weight_across;
};
GaussianWindows gaussian_windows(const GaussianBlurParams& params);

void gaussian_blur(const Image& in, const GaussianBlurParams& params, Image& out);

}  // namespace sluice::kernels
