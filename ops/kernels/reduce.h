// reduce and sum: reduce all elements of a tensor or image to one number. Also tests if any
// or all of them are not zero. reduce_axes does the same along some dimensions.
//
// Threads: any. Errors: std::invalid_argument and std::overflow_error, as each function's comment
// says.
#pragma once

#include <sluice/runtime/tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

// reduce: computes the mean, minimum, maximum or population standard deviation (the sum is divided
// by the number of elements) of all elements.
//
// Minimum and maximum are exact; mean and standard deviation are computed in double precision and
// rounded once. Sums of 8-bit values are integers, so the order of summation does not matter: a
// device returns the same bits. If an element is NaN, so is the result.
//
// Errors: std::invalid_argument for an empty input, for a mean or a standard deviation as i64, and
// for the minimum or maximum of fractions as i64. std::overflow_error for a result that the type
// does not hold: whole numbers are exact, also as f32.

enum class Reduction : std::uint8_t { mean, min, max, standard_deviation };
const char* name_of(Reduction what);

// Sums over all pixel values; values that the reduction does not need may be omitted.
struct LevelSums {
  std::uint64_t sum = 0, squares = 0;
  std::uint32_t lowest = 0, highest = 0;
};
float reduced(Reduction what, const LevelSums& sums, std::int64_t count);

// Pixel values as rows of bytes, `stride` apart; a single row if there are no gaps.
struct LevelRows {
  const std::uint8_t* data = nullptr;
  std::int64_t rows = 0, bytes = 0;
  std::ptrdiff_t stride = 0;
};
// True if the tensor consists of such rows, like that of an Image.
bool lies_in_rows(const Tensor& in, LevelRows& rows);
// Throws for an empty tensor, and for elements other than u8: a device reduces only these.
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

// sum: sums all pixel values of an image, or all elements of a tensor.
//
// The sum of whole numbers and bools as i64 is exact. Fractions, and 64-bit numbers whose sum is a
// fraction, are added in double precision, in an order that depends on the shape only. The sum of
// no elements is 0.
//
// Errors: std::invalid_argument for fractions with a sum of type i64, std::overflow_error for a
// finite sum that the type does not hold.

// Throws if the elements are fractions and `to` is not.
void check_sum(DType elements, DType to);

// To is std::int64_t, float or double.
template <class To>
To sum(const Tensor& in);

extern template std::int64_t sum<std::int64_t>(const Tensor& in);
extern template float sum<float>(const Tensor& in);
extern template double sum<double>(const Tensor& in);

// reduce_axes: reduces a tensor along some of its dimensions, as NumPy's functions with `axis`.
//
// Each element of the result is the reduction, by the functions above, of the elements whose other
// indices are its own. Its type follows from that of the elements:
//
// | what                     | f64     | other fractions | whole numbers | bool    |
// |--------------------------|---------|-----------------|---------------|---------|
// | mean, standard_deviation | f64     | f32             | f32           | f32     |
// | sum                      | f64     | f32             | i64           | i64     |
// | min, max                 | f64     | the elements'   | the elements' | bool    |
// | any, all                 | bool    | bool            | bool          | bool    |
//
// Errors: std::invalid_argument for a dimension that is missing or named twice, and for a mean,
// minimum, maximum or deviation of no elements. std::overflow_error for a finite sum that its type
// does not hold.

enum class AxisReduction : std::uint8_t { mean, min, max, standard_deviation, sum, any, all };
const char* name_of(AxisReduction what);

// The element type of the result.
DType reduced_type(AxisReduction what, DType elements);

struct ReducedAxes {
  std::array<int, Shape::kMaxRank> axes{};  // from 0, or from -1, the last one, backwards
  int count = 0;
  bool keep = false;  // the reduced dimensions stay, with size 1
};
// Throws for a dimension that a tensor of `rank` dimensions lacks, or that is named twice.
void check_reduced_axes(AxisReduction what, const ReducedAxes& axes, int rank);
// Without `keep`, the result has no layout.
void reduce_axes(AxisReduction what, const Tensor& in, const ReducedAxes& axes, Tensor& out);

}  // namespace sluice::kernels
