// Checks of kernel arguments, with messages that name the operator and the value. Internal. All
// throw std::invalid_argument.
#pragma once

#include <sluice/ops/kernels/option_types.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

// Requires an image that is not empty and has 1 to 4 channels.
void check_pixels(const char* op, const Image& in);
// Requires an image that is not empty and has 1, 3 or 4 channels.
void check_colors(const char* op, const Image& in);
// Requires an image that is not empty and has 3 or 4 channels.
void check_three_colors(const char* op, const Image& in);
// Requires 1, 3 or 4 channels.
void check_color_channels(const char* op, int channels);
void check_three_channels(const char* op, int channels);
// Requires an output size from 1 x 1 to 65535 x 65535.
void check_size(const char* op, int height, int width);
// Requires a region inside the image of at least 1 x 1.
void check_region(const char* op, const Rectangle& region, int height, int width);
void check_region(const char* op, const Rectangle& region, const Image& in);
// Requires a finite number.
void check_finite(const char* op, const char* name, double value);
// Requires nearest, bilinear or bicubic, and constant or edge.
void check_warp(const char* op, Interpolation interpolation, Border border);
// Requires a finite number of at least zero.
void check_not_negative(const char* op, const char* name, double value);

}  // namespace sluice::kernels
