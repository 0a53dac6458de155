// Checks of what the kernels are given, with messages that name the operator and the value.
// Internal. All throw std::invalid_argument.
#pragma once

#include <sluice/ops/kernels/interpolation.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

// The image is not empty and has 1 to 4 channels.
void check_pixels(const char* op, const Image& in);
// The image is not empty and has 1 channel, or 3 colours with or without a fourth channel.
void check_colours(const char* op, const Image& in);
// The image is not empty and has 3 channels or 4.
void check_three_colours(const char* op, const Image& in);
// The same of the number of channels alone.
void check_colour_channels(const char* op, int channels);
void check_three_channels(const char* op, int channels);
// An output size of at least 1 x 1 and at most 65535 x 65535.
void check_size(const char* op, int height, int width);
// The region lies inside the picture and is at least 1 x 1.
void check_region(const char* op, const Rectangle& region, int height, int width);
void check_region(const char* op, const Rectangle& region, const Image& in);
// A finite number.
void check_finite(const char* op, const char* name, double value);
// Nearest or bilinear.
void check_warp(const char* op, Interpolation interpolation);
// A finite number that is not below zero.
void check_not_negative(const char* op, const char* name, double value);

}  // namespace sluice::kernels
