// weighted_rows: adds up rows of numbers, each multiplied by its weight, by SIMD. Internal to
// elastic.
//
// Products are added one after the other, from the first row to the last, so that all instruction
// sets produce the same bits. Threads: any. Errors: none.
#pragma once

namespace sluice::kernels {

// Writes `width` sums. Row k begins at rows[k] and must not overlap `out`.
void weighted_rows(const float* const* rows, const float* weights, int count, int width,
                   float* out);

}  // namespace sluice::kernels
