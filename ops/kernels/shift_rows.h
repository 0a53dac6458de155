// weighted_rows: rows of numbers, each multiplied by its weight, and added up, by SIMD. Internal to
// elastic.
//
// Numbers are multiplied and added one after the other, from the first row to the last, so that all
// sets of instructions give the same bits. Threads: any. Errors: none.
#pragma once

namespace sluice::kernels {

// Writes `width` sums. Row k begins at rows[k]; neither overlaps `out`.
void weighted_rows(const float* const* rows, const float* weights, int count, int width,
                   float* out);

}  // namespace sluice::kernels
