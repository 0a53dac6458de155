// reduce: one number of all levels of a picture or an 8-bit tensor: their mean, the lowest, the
// highest, or how far they lie from their mean (the standard deviation of all of them, not of a
// sample: divided by their number).
//
// The sums are whole numbers, so that no order of summation matters; what is made of them is
// computed in double precision and rounded to float once. A device gives the same bits.
//
// Errors: std::invalid_argument for what is empty, and for other types than u8. Threads: any.
#pragma once

#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

enum class Reduction : std::uint8_t { mean, min, max, standard_deviation };
const char* name_of(Reduction what);

// Of all levels; what the reduction does not need may be left out.
struct LevelSums {
  std::uint64_t sum = 0, squares = 0;
  std::uint32_t lowest = 0, highest = 0;
};
float reduced(Reduction what, const LevelSums& sums, std::int64_t count);

// Levels as rows of so many bytes, `stride` apart; one row where they lie without gaps.
struct LevelRows {
  const std::uint8_t* data = nullptr;
  std::int64_t rows = 0, bytes = 0;
  std::ptrdiff_t stride = 0;
};
// Whether the tensor is such rows; those of an Image are.
bool lies_in_rows(const Tensor& in, LevelRows& rows);
void check_levels(Reduction what, const Tensor& in);

float reduce(Reduction what, const Tensor& in);

}  // namespace sluice::kernels
