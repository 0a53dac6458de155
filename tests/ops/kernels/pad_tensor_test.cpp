// Tensors that are padded, element by element against the rule.
#include "tests/error_of.h"
#include <sluice/ops/kernels/pad_tensor.h>
#include <sluice/runtime/half.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace pad_tensor_test {

using kernels::TensorMargin;

Tensor counted(const Shape& shape) {
  Tensor made(shape, DType::i16, Layout::chw);
  for (std::int64_t i = 0; i < made.elements(); ++i)
    made.data<std::int16_t>()[i] = static_cast<std::int16_t>(i);
  return made;
}

std::int16_t at(const Tensor& tensor, const std::array<std::int64_t, 3>& place) {
  const Shape& shape = tensor.shape();
  return tensor.data<std::int16_t>()[(place[0] * shape[1] + place[1]) * shape[2] + place[2]];
}

TEST(PadTensor, HasTheNumberBehindItsElements) {
  const std::vector<std::tuple<Shape, TensorMargin, std::int64_t>> cases{
      {{2, 3, 4}, {0, 5, 1, -7}, 5},  {{2, 3, 4}, {1, 4, 1, 9}, 4},   {{2, 3, 4}, {-1, 5, 8, 1}, 8},
      {{2, 3, 4}, {2, 0, 3, 1}, 6},   {{2, 3, 4}, {1, 2, 1, 1}, 3},   {{2, 3, 4}, {1, 2, 3, 1}, 3},
      {{2, 0, 4}, {1, 2, 1, -1}, 2},  {{0, 3, 4}, {0, 3, 2, 5}, 4},   {{2, 3, 0}, {0, 9, 1, 5}, 9},
      {{2, 3, 4}, {2, 16, 5, 3}, 20}, {{1, 1, 1}, {0, 0, 64, 0}, 64}, {{2, 3, 4}, {}, 2}};
  for (const auto& [from, margin, length] : cases) {
    const Tensor in = counted(from);
    const auto axis = static_cast<std::size_t>((margin.axis + 3) % 3);
    SCOPED_TRACE(to_string(from) + " along " + std::to_string(axis));
    Tensor out;
    kernels::pad_tensor(in, margin, out);
    Shape shape = from;
    shape.dims[axis] = length;
    ASSERT_EQ(out.shape(), shape);
    EXPECT_EQ(out.layout(), Layout::chw);
    EXPECT_EQ(out.dtype(), DType::i16);
    for (std::int64_t a = 0; a < shape[0]; ++a) {
      for (std::int64_t b = 0; b < shape[1]; ++b) {
        for (std::int64_t c = 0; c < shape[2]; ++c) {
          const std::array<std::int64_t, 3> place{a, b, c};
          const bool beyond = place[axis] >= from.dims[axis];
          ASSERT_EQ(at(out, place), beyond ? margin.fill : at(in, place)) << a << b << c;
        }
      }
    }
  }
}

template <class T>
double as_double(T x) {
  if constexpr (std::is_same_v<T, Half>) {
    return static_cast<float>(x);
  } else {
    return static_cast<double>(x);
  }
}

template <class T>
void expect_fill(double fill) {
  SCOPED_TRACE(name_of(dtype_of<T>::value));
  Tensor in({1}, dtype_of<T>::value), out;
  in.data<T>()[0] = T{};
  kernels::pad_tensor(in, {.length = 3, .fill = fill}, out);
  ASSERT_EQ(out.dtype(), in.dtype());
  EXPECT_EQ(as_double(out.data<T>()[0]), 0);
  for (int i = 1; i < 3; ++i) EXPECT_EQ(as_double(out.data<T>()[i]), fill);
}

TEST(PadTensor, FillsEveryType) {
  expect_fill<std::uint8_t>(255);
  expect_fill<std::int8_t>(-128);
  expect_fill<std::int16_t>(32767);
  expect_fill<std::int32_t>(-2147483648.);
  expect_fill<std::int64_t>(-9223372036854775808.);
  expect_fill<bool>(1);
  expect_fill<Half>(-65504);
  expect_fill<float>(0.5);
  expect_fill<double>(1e300);
}

TEST(PadTensor, OfAView) {
  Tensor whole = counted({1, 4, 6}), out;
  const Tensor view = Tensor::view(whole.bytes() + sizeof(std::int16_t),
                                   {{2, 2}, DType::i16, Layout::none}, {12, 2});
  kernels::pad_tensor(view, {.axis = 1, .length = 3, .fill = -1}, out);
  const std::int16_t expected[] = {1, 3, -1, 13, 15, -1};
  ASSERT_EQ(out.shape(), (Shape{2, 3}));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(out.data<std::int16_t>()[i], expected[i]);
}

std::string refused(DType type, const TensorMargin& margin) {
  const Tensor in({2, 5}, type);
  Tensor out;
  return error_of<std::invalid_argument>([&] { kernels::pad_tensor(in, margin, out); });
}

TEST(PadTensor, RefusesWhatCannotBe) {
  EXPECT_EQ(
      refused(DType::u8, {.fill = 256}),
      "pad_tensor: fill is 256; for a tensor of u8, whole numbers from 0 to 255 are possible");
  EXPECT_EQ(refused(DType::i8, {.fill = 0.5}),
            "pad_tensor: fill is 0.5; for a tensor of i8, whole numbers from -128 to 127 are "
            "possible");
  EXPECT_EQ(refused(DType::boolean, {.fill = 2}),
            "pad_tensor: fill is 2; for a tensor of bool, whole numbers from 0 to 1 are possible");
  EXPECT_EQ(refused(DType::f16, {.fill = 1e5}),
            "pad_tensor: fill is 100000; for a tensor of f16, numbers from -65504 to 65504 are "
            "possible");
  EXPECT_NE(refused(DType::f32, {.fill = 1e39}), "");
  EXPECT_NE(refused(DType::i64, {.fill = 9223372036854775808.}), "");
  EXPECT_NE(refused(DType::u8, {.fill = std::numeric_limits<double>::quiet_NaN()}), "");
  EXPECT_EQ(refused(DType::u8, {.axis = 2}),
            "pad_tensor: there is no dimension 2 of 2; count from 0, or back from -1");
  EXPECT_EQ(refused(DType::u8, {.length = -1}),
            "pad_tensor: length is -1; 0 to 1099511627776 are possible");
  EXPECT_EQ(refused(DType::u8, {.align = 0}),
            "pad_tensor: align is 0; 1 to 1099511627776 are possible");
}

}  // namespace pad_tensor_test
}  // namespace sluice
