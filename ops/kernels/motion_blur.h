// motion_blur: blurs an image along a line, as if the camera moved.
//
// Each result is the mean of `length` values, one pixel apart on a line through the center of the
// pixel. The line rises by `degrees` (counter-clockwise). Values between pixels are interpolated
// from the four around them. Borders are reflected without repeating the outermost pixel. The
// result is rounded to nearest, once.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, a length outside 1 ..
// kLongestMotion and an angle that is not finite. Threads: any.
#pragma once

#include <sluice/runtime/image.h>

#include <vector>

namespace sluice::kernels {

inline constexpr int kLongestMotion = 255;

// The weight of a pixel at an offset in rows (down) and columns (to the right). All nonzero weights
// are listed row by row, in the order of summation; the sum starts at one half. Throws the errors
// of motion_blur() for its numbers.
struct MotionWeight {
  int row = 0, column = 0;
  float weight = 0;
};
std::vector<MotionWeight> motion_weights(int length, float degrees);

void motion_blur(const Image& in, int length, float degrees, Image& out);

}  // namespace sluice::kernels
