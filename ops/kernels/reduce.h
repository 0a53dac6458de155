// reduce: one number of all elements of a tensor or picture: their mean, the lowest, the highest,
// or how far they lie from their mean (the standard deviation of all of them, not of a sample:
// divided by their number); and whether any or all of them are not zero.
//
// The lowest and the highest are exact; mean and standard deviation are computed in double
// precision and rounded once. Sums of 8-bit levels are whole, so the order of summation does not
// matter: a device gives the same bits. If an element is NaN, so is the result.
//
// Errors: std::invalid_argument for what is empty, for a mean or a standard deviation as i64, for
// the lowest or highest fraction as i64, and std::overflow_error for a result that the type does
// not hold: whole numbers are exact, also as f32. Threads: any.
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
// Throws for an empty tensor, and for other elements than u8: a device reduces only these.
void check_levels(Reduction what, const Tensor& in);

// Throws if the reduction of such elements cannot have the type `to`.
void check_reduction(Reduction what, DType elements, DType to);
// To is std::int64_t, float or double.
template <class To = float>
To reduce(Reduction what, const Tensor& in);

extern template std::int64_t reduce<std::int64_t>(Reduction what, const Tensor& in);
extern template float reduce<float>(Reduction what, const Tensor& in);
extern template double reduce<double>(Reduction what, const Tensor& in);

// NaN is not zero. Without elements, any is false and all is true.
bool any(const Tensor& in);
bool all(const Tensor& in);

}  // namespace sluice::kernels
