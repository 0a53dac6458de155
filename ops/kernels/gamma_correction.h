// gamma_correction: applies a power curve to the pixel values.
//
//   out = clamp(255 * (x / 255)^gamma * gain, 0, 255), rounded to nearest
//
// As torchvision's adjust_gamma, which truncates where this rounds, so results differ by at most 1.
// A gamma below 1 lightens dark parts; 0 to the power of 0 is 1. Applies to all channels. Computed
// in double precision; halves round up.
//
// Errors: std::invalid_argument for an empty image, more than 4 channels, a gamma or gain that is
// below zero or not finite. Threads: any.
#pragma once

#include <sluice/ops/kernels/level_table.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

LevelTable gamma_correction_table(float gamma, float gain);
void gamma_correction(const Image& in, float gamma, float gain, Image& out);

}  // namespace sluice::kernels
