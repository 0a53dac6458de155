// Reductions of all elements to one number, against plain loops over them.
#include "tests/error_of.h"
#include "tests/io/images.h"
#include <sluice/ops/kernels/elementwise.h>
#include <sluice/ops/kernels/reduce.h>
#include <sluice/ops/kernels/tensors.h>
#include <sluice/runtime/half.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace reduce_test {

using kernels::Reduction;

constexpr Reduction kAll[] = {Reduction::mean, Reduction::min, Reduction::max,
                              Reduction::standard_deviation};

// Returns the reduction of the pixel values, computed one by one in extended precision.
double expected(Reduction what, const std::vector<std::uint8_t>& levels) {
  const auto n = static_cast<long double>(levels.size());
  long double sum = 0, squares = 0;
  double lowest = 255, highest = 0;
  for (const std::uint8_t level : levels) {
    sum += level;
    lowest = std::fmin(lowest, level);
    highest = std::fmax(highest, level);
  }
  for (const std::uint8_t level : levels) squares += (level - sum / n) * (level - sum / n);
  switch (what) {
    case Reduction::mean:
      return static_cast<double>(sum / n);
    case Reduction::min:
      return lowest;
    case Reduction::max:
      return highest;
    default:
      return static_cast<double>(std::sqrt(squares / n));
  }
}

void expect_reduced(const Tensor& tensor, const std::vector<std::uint8_t>& levels) {
  ASSERT_EQ(tensor.elements(), static_cast<std::int64_t>(levels.size()));
  for (const Reduction what : kAll) {
    SCOPED_TRACE(kernels::name_of(what));
    const auto wanted = static_cast<float>(expected(what, levels));
    const float actual = kernels::reduce(what, tensor);
    if (what == Reduction::standard_deviation) {
      EXPECT_NEAR(actual, wanted, 1e-6f * wanted + 1e-9f);
    } else {
      EXPECT_EQ(actual, wanted);
    }
  }
}

std::vector<std::uint8_t> levels_of(const Image& image) {
  std::vector<std::uint8_t> all;
  for (int y = 0; y < image.height(); ++y)
    all.insert(all.end(), image.row(y), image.row(y) + image.row_bytes());
  return all;
}

TEST(Reduce, GivesTheNumbersOfAllLevels) {
  const std::tuple<int, int, int> sizes[] = {{1, 1, 1},     {1, 7, 3},    {13, 1, 4},
                                             {31, 17, 3},   {64, 64, 4},  {256, 256, 1},
                                             {300, 211, 3}, {2, 40000, 3}};
  for (const auto& [height, width, channels] : sizes) {
    SCOPED_TRACE(std::to_string(height) + " x " + std::to_string(width) + " x " +
                 std::to_string(channels));
    for (const std::uint64_t seed : {1u, 2u}) {
      const Image image = draw_image(height, width, channels, seed);
      expect_reduced(image.tensor(), levels_of(image));
    }
    for (const int level : {0, 1, 128, 255}) {
      const Image image = filled(height, width, channels, static_cast<std::uint8_t>(level));
      expect_reduced(image.tensor(), levels_of(image));
      EXPECT_EQ(kernels::reduce(Reduction::standard_deviation, image.tensor()), 0.f);
    }
  }
}

TEST(Reduce, SeesWhatAViewShows) {
  const Image whole = draw_image(40, 50, 3, 4);
  const Image part = whole.crop_view(5, 7, 20, 31);
  expect_reduced(part.tensor(), levels_of(part));
  // Every other column of one channel: no rows.
  std::vector<std::uint8_t> levels;
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 50; x += 2) levels.push_back(whole.at(y, x, 1));
  }
  Image copy = whole.clone();
  const Tensor columns = Tensor::view(reinterpret_cast<std::byte*>(copy.data()) + 1,
                                      {{40, 25}, DType::u8, Layout::none}, {150, 6});
  kernels::LevelRows rows;
  EXPECT_FALSE(kernels::lies_in_rows(columns, rows));
  expect_reduced(columns, levels);
  // A dimension of one element may have any stride.
  const Tensor one = Tensor::view(reinterpret_cast<std::byte*>(copy.data()),
                                  {{4, 1, 6}, DType::u8, Layout::none}, {150, 77, 1});
  ASSERT_TRUE(kernels::lies_in_rows(one, rows));
  EXPECT_EQ(std::tuple(rows.rows, rows.bytes, rows.stride), std::tuple(4, 6, 150));
}

// Elements of any type.
template <class T>
Tensor numbers_of(std::initializer_list<double> numbers) {
  Tensor made({static_cast<std::int64_t>(numbers.size())}, dtype_of<T>::value);
  std::int64_t i = 0;
  for (const double number : numbers) {
    if constexpr (detail::is_half<T>) {
      made.data<T>()[i++] = T(static_cast<float>(number));
    } else {
      made.data<T>()[i++] = static_cast<T>(number);
    }
  }
  return made;
}

template <class T>
void expect_numbers() {
  SCOPED_TRACE(name_of(dtype_of<T>::value));
  const Tensor tensor = numbers_of<T>({3, 1, 4, 1, 5});
  EXPECT_EQ(kernels::reduce(Reduction::mean, tensor), 2.8f);
  EXPECT_EQ(kernels::reduce<double>(Reduction::mean, tensor), 2.8);
  EXPECT_EQ(kernels::reduce(Reduction::min, tensor), 1);
  EXPECT_EQ(kernels::reduce<double>(Reduction::max, tensor), 5);
  EXPECT_NEAR(kernels::reduce(Reduction::standard_deviation, tensor), 1.6f, 1e-6f);
  EXPECT_TRUE(kernels::any(tensor) && kernels::all(tensor));
  const Tensor part = numbers_of<T>({1, 0});
  EXPECT_TRUE(kernels::any(part));
  EXPECT_FALSE(kernels::all(part));
  EXPECT_FALSE(kernels::any(numbers_of<T>({0, 0})));
  EXPECT_FALSE(kernels::any(numbers_of<T>({})));
  EXPECT_TRUE(kernels::all(numbers_of<T>({})));
  if constexpr (std::is_integral_v<T>) {
    EXPECT_EQ(kernels::reduce<std::int64_t>(Reduction::max, tensor), 5);
  } else {
    EXPECT_THROW((void)kernels::reduce<std::int64_t>(Reduction::max, tensor),
                 std::invalid_argument);
    const Tensor none = numbers_of<T>({1, std::nan(""), 0});
    for (const Reduction what : kAll)
      EXPECT_TRUE(std::isnan(kernels::reduce(what, none))) << kernels::name_of(what);
  }
}

TEST(Reduce, TakesAllTypesOfElements) {
  expect_numbers<std::uint8_t>();
  expect_numbers<std::int8_t>();
  expect_numbers<std::int16_t>();
  expect_numbers<std::int32_t>();
  expect_numbers<std::int64_t>();
  expect_numbers<Half>();
  expect_numbers<BFloat16>();
  expect_numbers<float>();
  expect_numbers<double>();
  EXPECT_EQ(kernels::reduce(Reduction::mean, numbers_of<bool>({1, 0, 0, 1})), 0.5f);
}

TEST(Reduce, RefusesWhatItCannotReduce) {
  const Tensor none;
  for (const Reduction what : kAll) {
    const std::string name = kernels::name_of(what);
    EXPECT_EQ(error_of<std::invalid_argument>([&] { (void)kernels::reduce(what, none); }),
              name + ": the value is empty");
    EXPECT_EQ(error_of<std::invalid_argument>(
                  [&] { kernels::check_levels(what, numbers_of<float>({1})); }),
              name + ": on a GPU the elements are u8, not f32; move the tensor with cpu()");
  }
  // No float holds this one.
  const Tensor odd = numbers_of<std::int32_t>({16777217, 0});
  EXPECT_EQ(error_of<std::overflow_error>([&] { (void)kernels::reduce(Reduction::max, odd); }),
            "max: 16777217 is no f32; ask for i64");
  EXPECT_EQ(kernels::reduce<std::int64_t>(Reduction::max, odd), 16777217);
  EXPECT_EQ(kernels::reduce<double>(Reduction::max, odd), 16777217.);
  EXPECT_EQ(error_of<std::overflow_error>(
                [&] { (void)kernels::reduce(Reduction::mean, numbers_of<double>({1e300})); }),
            "mean: 1e+300 is no f32; ask for f64");
}

}  // namespace reduce_test

// The sums of all elements, against plain loops over them.
namespace sum_test {

template <class T>
Tensor counted(std::int64_t count, int first) {
  Tensor made({count}, dtype_of<T>::value);
  for (std::int64_t i = 0; i < count; ++i)
    made.data<T>()[i] = static_cast<T>(static_cast<float>(first + i % 7));
  return made;
}

std::int64_t expected(std::int64_t count, int first) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += first + i % 7;
  return sum;
}

template <class T>
void expect_sums() {
  SCOPED_TRACE(name_of(dtype_of<T>::value));
  const int first = std::is_same_v<T, std::uint8_t> ? 200 : -100;
  for (const std::int64_t count : {0, 1, 7, 8, 9, 4095, 4096, 4097, 70'001}) {
    SCOPED_TRACE(count);
    const Tensor tensor = counted<T>(count, first);
    const std::int64_t sum = expected(count, first);
    EXPECT_EQ(kernels::sum<double>(tensor), static_cast<double>(sum));
    EXPECT_EQ(kernels::sum<float>(tensor), static_cast<float>(sum));
    if constexpr (std::is_integral_v<T>) {
      EXPECT_EQ(kernels::sum<std::int64_t>(tensor), sum);
    }
  }
}

TEST(Sum, IsThatOfAllElements) {
  expect_sums<std::uint8_t>();
  expect_sums<std::int8_t>();
  expect_sums<std::int16_t>();
  expect_sums<std::int32_t>();
  expect_sums<std::int64_t>();
  expect_sums<Half>();
  expect_sums<BFloat16>();
  expect_sums<float>();
  expect_sums<double>();
  Tensor bools({5}, DType::boolean);
  for (int i = 0; i < 5; ++i) bools.data<bool>()[i] = i != 2;
  EXPECT_EQ(kernels::sum<std::int64_t>(bools), 4);
  EXPECT_EQ(kernels::sum<std::int64_t>(Tensor()), 0);
  // No i64 holds this one.
  Tensor large({4}, DType::i64);
  std::fill_n(large.data<std::int64_t>(), 4, std::int64_t{1} << 62);
  EXPECT_EQ(kernels::sum<double>(large), 0x1p64);
  EXPECT_EQ(kernels::sum<float>(large), 0x1p64f);
}

// Sums that 32 bits, and the 24 of a float, do not hold.
TEST(Sum, IsWide) {
  Tensor white({4097, 4099}, DType::u8);
  std::fill_n(white.data<std::uint8_t>(), white.elements(), std::uint8_t{255});
  EXPECT_EQ(kernels::sum<std::int64_t>(white), 255 * white.elements());
  Tensor large({3}, DType::i32);
  std::fill_n(large.data<std::int32_t>(), 3, std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(kernels::sum<std::int64_t>(large), 3 * 2147483647ll);
  Tensor ones({20'000'001}, DType::f32);
  std::fill_n(ones.data<float>(), ones.elements(), 1.f);
  EXPECT_EQ(kernels::sum<double>(ones), 20'000'001.);
  Tensor beyond({2}, DType::i64);
  std::fill_n(beyond.data<std::int64_t>(), 2, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(error_of<std::overflow_error>([&] { (void)kernels::sum<std::int64_t>(beyond); }),
            "sum: i64 does not hold it; ask for f64, or cast the elements to f64");
  beyond.data<std::int64_t>()[1] = -1;
  EXPECT_EQ(kernels::sum<std::int64_t>(beyond), std::numeric_limits<std::int64_t>::max() - 1);
  Tensor huge({1}, DType::f64);
  *huge.data<double>() = 1e300;
  EXPECT_THROW((void)kernels::sum<float>(huge), std::overflow_error);
}

TEST(Sum, IsOfWhatAViewShows) {
  const Image part = draw_image(40, 50, 3, 4).clone();
  const Image view = part.crop_view(5, 7, 20, 31);
  std::int64_t sum = 0;
  for (int y = 0; y < 20; ++y) {
    for (std::size_t i = 0; i < view.row_bytes(); ++i) sum += view.row(y)[i];
  }
  EXPECT_EQ(kernels::sum<std::int64_t>(view.tensor()), sum);
}

TEST(Sum, OfFractionsIsAFraction) {
  EXPECT_EQ(error_of<std::invalid_argument>(
                [] { (void)kernels::sum<std::int64_t>(Tensor({2}, DType::f16)); }),
            "sum: to is i64, but the elements are f16; their sum can be f32 or f64");
}

}  // namespace sum_test

namespace reduce_axes_test {

using kernels::AxisReduction;

constexpr AxisReduction kAll[] = {
    AxisReduction::mean, AxisReduction::min, AxisReduction::max, AxisReduction::standard_deviation,
    AxisReduction::sum,  AxisReduction::any, AxisReduction::all};

// The reduction of a whole tensor, as an element of the result.
double whole(AxisReduction what, const Tensor& in) {
  switch (what) {
    case AxisReduction::mean:
      return kernels::reduce<double>(kernels::Reduction::mean, in);
    case AxisReduction::min:
      return kernels::reduce<double>(kernels::Reduction::min, in);
    case AxisReduction::max:
      return kernels::reduce<double>(kernels::Reduction::max, in);
    case AxisReduction::standard_deviation:
      return kernels::reduce<double>(kernels::Reduction::standard_deviation, in);
    case AxisReduction::sum:
      return kernels::sum<double>(in);
    case AxisReduction::any:
      return kernels::any(in) ? 1 : 0;
    case AxisReduction::all:
      return kernels::all(in) ? 1 : 0;
  }
  return -1;
}

// Returns element `at` of each dimension that stays, and all of those that are reduced.
Tensor part_of(Tensor in, const std::vector<bool>& reduced, const std::vector<std::int64_t>& at) {
  Tensor part;
  for (int axis = 0; axis < in.shape().rank; ++axis) {
    const auto k = static_cast<std::size_t>(axis);
    if (reduced[k]) continue;
    kernels::slice_tensor(in, axis, at[k], 1, part);
    in = part.clone();
  }
  return in;
}

// Each element of the result, one after the other, beside the reduction of its part.
void expect_parts_reduced(const Tensor& in, const std::vector<int>& axes, bool keep) {
  kernels::ReducedAxes reduced{.count = static_cast<int>(axes.size()), .keep = keep};
  std::copy(axes.begin(), axes.end(), reduced.axes.begin());
  const int rank = in.shape().rank;
  std::vector<bool> is_reduced(static_cast<std::size_t>(rank));
  for (const int axis : axes)
    is_reduced[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
  for (const AxisReduction what : kAll) {
    SCOPED_TRACE(std::string(kernels::name_of(what)) + " of " + name_of(in.dtype()));
    Tensor out, numbers;
    kernels::reduce_axes(what, in, reduced, out);
    ASSERT_EQ(out.dtype(), kernels::reduced_type(what, in.dtype()));
    std::vector<std::int64_t> shape;
    for (int axis = 0; axis < rank; ++axis) {
      if (!is_reduced[static_cast<std::size_t>(axis)]) shape.push_back(in.shape()[axis]);
      if (is_reduced[static_cast<std::size_t>(axis)] && keep) shape.push_back(1);
    }
    ASSERT_EQ(out.shape().rank, static_cast<int>(shape.size()));
    for (std::size_t i = 0; i < shape.size(); ++i) EXPECT_EQ(out.shape().dims[i], shape[i]);
    kernels::cast(out, DType::f64, numbers);
    std::vector<std::int64_t> at(static_cast<std::size_t>(rank));
    for (std::int64_t i = 0; i < out.elements(); ++i) {
      double wanted = whole(what, part_of(in.clone(), is_reduced, at));
      if (out.dtype() == DType::f32) wanted = static_cast<float>(wanted);
      EXPECT_EQ(numbers.data<double>()[i], wanted) << i;
      for (std::size_t k = at.size(); k-- > 0;) {
        if (is_reduced[k]) continue;
        if (++at[k] < in.shape().dims[k]) break;
        at[k] = 0;
      }
    }
  }
}

// Numbers from -50 to 50, or 0 to 100, some of them zero.
Tensor some_numbers(const Shape& shape, DType type) {
  Tensor numbers(shape, DType::i32), made;
  const bool negative = type != DType::u8 && type != DType::u16 && type != DType::boolean;
  for (std::int64_t i = 0; i < numbers.elements(); ++i)
    numbers.data<std::int32_t>()[i] =
        static_cast<std::int32_t>(i * i * 37 % 101) - (negative ? 50 : 0);
  kernels::cast(numbers, type, made);
  return made;
}

TEST(ReduceAxes, IsTheReductionOfEachPart) {
  const std::vector<int> choices[] = {{0}, {1}, {2}, {-1}, {0, 1}, {-1, 0}, {1, 2}, {2, 0, 1}};
  for (const DType type : {DType::u8, DType::i8, DType::i16, DType::u16, DType::i32, DType::i64,
                           DType::f16, DType::bf16, DType::f32, DType::f64, DType::boolean}) {
    const Tensor in = some_numbers({5, 4, 3}, type);
    for (const auto& axes : choices) {
      for (const bool keep : {false, true}) expect_parts_reduced(in, axes, keep);
    }
  }
  expect_parts_reduced(some_numbers({2, 3, 1, 2, 3, 2}, DType::f32), {1, -2, 5}, false);
  expect_parts_reduced(some_numbers({7}, DType::i16), {0}, false);
}

TEST(ReduceAxes, OfAView) {
  const Image whole = draw_image(30, 20, 3);
  const Image view = whole.crop_view(3, 5, 11, 7);
  expect_parts_reduced(view.tensor(), {0, 1}, false);
  Tensor out;
  kernels::reduce_axes(AxisReduction::mean, view.tensor(),
                       {.axes = {0, 1}, .count = 2, .keep = true}, out);
  EXPECT_EQ(out.layout(), Layout::hwc);
}

TEST(ReduceAxes, OfNoElements) {
  const Tensor none({0, 3}, DType::f32);
  Tensor out;
  kernels::reduce_axes(AxisReduction::sum, none, {.axes = {0}, .count = 1}, out);
  EXPECT_EQ(out.shape(), Shape({3}));
  EXPECT_EQ(out.data<float>()[2], 0.f);
  kernels::reduce_axes(AxisReduction::max, none, {.axes = {1}, .count = 1}, out);
  EXPECT_EQ(out.shape(), Shape({0}));
  EXPECT_EQ(error_of<std::invalid_argument>([&] {
              kernels::reduce_axes(AxisReduction::max, none, {.axes = {0}, .count = 1}, out);
            }),
            "max: a tensor of (0, 3) has no elements along these axes");
}

TEST(ReduceAxes, RefusesAxesThatAreNotThere) {
  const Tensor in({2, 3}, DType::f32);
  Tensor out;
  EXPECT_EQ(error_of<std::invalid_argument>([&] {
              kernels::reduce_axes(AxisReduction::sum, in, {.axes = {1, -1}, .count = 2}, out);
            }),
            "sum: axis 1 is named twice");
  EXPECT_THROW(kernels::reduce_axes(AxisReduction::sum, in, {.axes = {2}, .count = 1}, out),
               std::invalid_argument);
}

TEST(ReduceAxes, SumsThatTheTypeDoesNotHoldAreErrors) {
  Tensor large({2}, DType::i64), out;
  std::fill_n(large.data<std::int64_t>(), 2, std::numeric_limits<std::int64_t>::max());
  EXPECT_THROW(kernels::reduce_axes(AxisReduction::sum, large, {.axes = {0}, .count = 1}, out),
               std::overflow_error);
}

}  // namespace reduce_axes_test
}  // namespace sluice
