// motion_blur: a picture as a camera takes it that moves along a line.
//
// Each level is the mean of `length` ones, a pixel apart on a line through the middle of the pixel,
// which rises by `degrees` (counter-clockwise); levels between pixels are blended of the four
// around them. Borders are reflected and do not repeat the outermost pixel. Rounded to nearest,
// once.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, a length outside of
// 1 .. kLongestMotion and an angle that is not finite. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

#include <vector>

namespace sluice::kernels {

inline constexpr int kLongestMotion = 255;

// How much a pixel so many rows below and columns to the right counts: all that do, row by row, in
// the order in which they are added to one half. With what motion_blur() refuses of its numbers.
struct MotionWeight {
  int row = 0, column = 0;
  float weight = 0;
};
std::vector<MotionWeight> motion_weights(int length, float degrees);

void motion_blur(const Image& in, int length, float degrees, Image& out);

}  // namespace sluice::kernels
