// The inner loop of mix_samples for 16-bit floats, by SIMD instructions chosen when the program
// runs. Internal.
//
// All results are the same on every machine: computed as f32 and rounded to nearest even.
#pragma once

#include <sluice/runtime/half.h>

#include <cstddef>

namespace sluice::kernels {

// to[i] = own * to[i] + other * from[i] for i < count.
void mix_halves(const Half* from, float own, float other, std::size_t count, Half* to);

}  // namespace sluice::kernels
