// Filters: operators that compute each pixel value from those in a window around it. filter_2d,
// laplacian, sharpness, median_blur, dilate, erode, motion_blur and defocus.
//
// Threads: any. Errors: std::invalid_argument, as each operator's comment says.
#pragma once

#include <sluice/ops/kernels/level_rows.h>
#include <sluice/runtime/image.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::kernels {

// filter_2d: replaces each pixel value by a weighted sum of those around it, per channel.
//
// The window is not flipped (a correlation, like OpenCV's filter2D). Borders are reflected without
// repeating the outermost pixel. Sums are computed in float; results are rounded to nearest and
// clipped to 0 .. 255.
//
// Errors: an empty image, more than 4 channels, a window that is even or larger than 7 x 7, and
// weights beyond kLargestWeight.

inline constexpr int kLargestFilter = 7;
inline constexpr float kLargestWeight = 1e6f;

struct FilterWeights {
  int rows = 3;
  int columns = 3;
  // Row by row; the first rows * columns count.
  std::array<float, kLargestFilter * kLargestFilter> weights{};
};
void check_filter(const FilterWeights& filter);

void filter_2d(const Image& in, const FilterWeights& filter, Image& out);

// laplacian: computes the sum of the second derivatives along x and y.
//
// The window is OpenCV's: 1 is [0 1 0; 1 -4 1; 0 1 0]; 3, 5 and 7 add up Sobel's second derivatives
// of that size. Borders are reflected without repeating the outermost pixel. The sum times `scale`
// is rounded to nearest and clipped to 0 .. 255.
//
// Errors: an empty image, more than 4 channels, any other window, and a scale out of range.

inline constexpr float kLargestLaplacianScale = 256;

FilterWeights laplacian_weights(int window_size, float scale);
void laplacian(const Image& in, int window_size, float scale, Image& out);

// sharpness: sharpens or smooths an image, like Pillow and torchvision.
//
// smooth is the mean by [1 1 1; 1 5 1; 1 1 1] / 13, rounded to 8 bits. Each value x becomes
// smooth + factor * (x - smooth), rounded to nearest and clipped to 0 .. 255. Pillow truncates, so
// its result may be lower by 1. 0 smooths, 1 changes nothing, 2 sharpens. Pixels on the border are
// not changed.
//
// Errors: an empty image, more than 4 channels, or a factor outside 0 .. kLargestSharpness.

inline constexpr float kLargestSharpness = 100;

// Converts a factor for the inner loop. Throws if it is out of range.
FixedFactor sharpness_factor(float factor);

void sharpness(const Image& in, float factor, Image& out);

// median_blur: replaces each pixel value by the median of a square around it, per channel.
//
// Beyond the border, the outermost pixels are repeated, as in OpenCV.
//
// Errors: an empty image, more than 4 channels, or a window other than 3 and 5.

// Throws std::invalid_argument unless it is 3 or 5.
void check_median_window(int window_size);

void median_blur(const Image& in, int window_size, Image& out);

// dilate and erode: replace each pixel value by the largest, or the smallest, in a window around
// it, per channel. Pixels beyond the border do not count.
//
// In a window of `size` the pixel is at index size / 2, counted from 0, as in OpenCV.
//
// Errors: an empty image, more than 4 channels, and a window side outside 1 ..
// kLargestMorphologyWindow.

inline constexpr int kLargestMorphologyWindow = 255;

struct MorphologyWindow {
  int height = 3, width = 3;
};

// Throws the errors of dilate() and erode(), with the name `op`.
void check_morphology(const char* op, const Image& in, const MorphologyWindow& window);

void dilate(const Image& in, const MorphologyWindow& window, Image& out);
void erode(const Image& in, const MorphologyWindow& window, Image& out);

// motion_blur: blurs an image along a line, as if the camera moved.
//
// Each result is the mean of `length` values, one pixel apart on a line through the center of the
// pixel. The line rises by `degrees` (counter-clockwise). Values between pixels are interpolated
// from the four around them. Borders are reflected without repeating the outermost pixel. The
// result is rounded to nearest, once.
//
// Errors: an empty image, more than 4 channels, a length outside 1 .. kLongestMotion and an angle
// that is not finite.

inline constexpr int kLongestMotion = 255;

// The weight of a pixel at an offset in rows (down) and columns (to the right).
struct WindowWeight {
  int row = 0, column = 0;
  float weight = 0;
};
// Returns the weights that are not 0, row by row, in the order of summation. Throws the errors of
// motion_blur() for its numbers.
std::vector<WindowWeight> motion_weights(int length, float degrees);

void motion_blur(const Image& in, int length, float degrees, Image& out);

// defocus: blurs an image like a lens that is out of focus: a point becomes a disk.
//
// The window is that of Hendrycks and Dietterich, "Benchmarking neural network robustness to common
// corruptions", 2019, and of albumentations' Defocus. All pixels whose centers are at most `radius`
// pixels away have the same weight. A Gaussian with a standard deviation of `alias_blur` pixels
// smooths the edge of the disk. It is cut off at 1 pixel, or at 2 if the radius is above 8; 0 does
// not smooth. The weights add up to 1. Borders are reflected without repeating the outermost pixel.
// The result is rounded to nearest, once. (The others cut off what the Gaussian adds outside of the
// disk's square, for radii of 8 and more.)
//
// Errors: an empty image, more than 4 channels, and numbers that are out of range.

inline constexpr int kLargestDefocus = 50;
inline constexpr float kLargestAliasBlur = 10;

// Returns the weights of at least 2^-30, row by row, in the order of summation. Smaller ones do not
// change the result. Throws the errors of defocus() for its numbers.
std::vector<WindowWeight> defocus_weights(int radius, float alias_blur);

void defocus(const Image& in, int radius, float alias_blur, Image& out);

// The inner loops, in filter_rows.cpp: by SIMD instructions chosen when the program runs. All
// machines produce the same bytes.

void floats_of_levels(const std::uint8_t* levels, std::size_t size, float* out);

struct WeightedRow {
  const float* levels = nullptr;
  float weight = 0;
};

// out[i] = the sum over all rows of value[i] * weight, in their order, rounded and clipped to 8
// bits, for i < size. Each sum starts at 0 and adds one rounded product after the other.
void sum_weighted_rows(std::span<const WeightedRow> rows, std::size_t size, std::uint8_t* out);

// out[i] = the median of rows[r][i + k * step] for r and k in 0 .. window - 1, for i < size. The
// window is 3 or 5. Reads nothing beyond.
void median_row(const std::uint8_t* const* rows, int window, std::ptrdiff_t step, std::size_t size,
                std::uint8_t* out);

}  // namespace sluice::kernels
