// The inner loops of filters: weighted sums of rows, by SIMD instructions chosen when the program
// runs. Internal to filter_2d.cpp.
//
// Each sum starts at 0 and adds one rounded product after the other, so that all machines produce
// the same bytes. Threads: any. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sluice::kernels {

void floats_of_levels(const std::uint8_t* levels, std::size_t size, float* out);

struct WeightedRow {
  const float* levels = nullptr;
  float weight = 0;
};

// out[i] = the sum over all rows of value[i] * weight, in their order, rounded and clipped to 8
// bits, for i < size.
void sum_weighted_rows(std::span<const WeightedRow> rows, std::size_t size, std::uint8_t* out);

}  // namespace sluice::kernels
