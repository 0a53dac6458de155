// Tensors that are joined, reshaped, cut and padded, element by element.
#include "tests/error_of.h"
#include <sluice/ops/kernels/tensors.h>
#include <sluice/runtime/half.h>
#include <sluice/runtime/image.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace kernels_tensors_test {

// 0, 1, 2, ... from `first` on.
Tensor counted(const Shape& shape, std::int32_t first, Layout layout = Layout::none) {
  Tensor tensor(shape, DType::i32, layout);
  std::iota(tensor.data<std::int32_t>(), tensor.data<std::int32_t>() + tensor.elements(), first);
  return tensor;
}

template <class F>
std::string refused(const F& f) {
  return error_of<std::invalid_argument>(f);
}

TEST(Cat, EachElementStandsWhereItBelongs) {
  const Shape left{2, 3, 4};
  for (int axis = -3; axis < 3; ++axis) {
    const int at = axis < 0 ? axis + 3 : axis;
    Shape right = left;
    right.dims[static_cast<std::size_t>(at)] = 5;
    const Tensor a = counted(left, 0, Layout::chw), b = counted(right, 100, Layout::chw);
    Tensor out;
    kernels::cat(a, b, axis, out);
    EXPECT_EQ(out.layout(), Layout::chw);
    ASSERT_EQ(out.shape()[at], left[at] + 5);
    const std::int32_t* next = out.data<std::int32_t>();
    std::int64_t i[3];
    for (i[0] = 0; i[0] < out.shape()[0]; ++i[0]) {
      for (i[1] = 0; i[1] < out.shape()[1]; ++i[1]) {
        for (i[2] = 0; i[2] < out.shape()[2]; ++i[2]) {
          const bool second = i[at] >= left[at];
          const Tensor& from = second ? b : a;
          std::int64_t place[] = {i[0], i[1], i[2]};
          if (second) place[at] -= left[at];
          const std::int64_t offset =
              (place[0] * from.shape()[1] + place[1]) * from.shape()[2] + place[2];
          ASSERT_EQ(*next++, from.data<std::int32_t>()[offset]) << axis;
        }
      }
    }
  }
}

TEST(Cat, LooksAtStridesAndAtEmptyOnes) {
  const Tensor all = counted({4, 6}, 0);
  const Tensor part = Tensor::view(const_cast<std::byte*>(all.bytes()) + 4,
                                   {{4, 2}, DType::i32, Layout::none}, {6, 2});
  Tensor out, again;
  kernels::cat(part, part, 1, out);
  const std::int32_t expected[] = {1, 3, 1, 3, 7, 9, 7, 9};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(out.data<std::int32_t>()[i], expected[i]);
  kernels::cat(out, counted({4, 0}, 0), 1, again);
  EXPECT_EQ(again, out);
}

TEST(Cat, RefusesWhatDoesNotFit) {
  const Tensor a = counted({2, 3}, 0), b = counted({2, 4}, 0), scalar = counted({}, 0);
  Tensor out;
  EXPECT_EQ(refused([&] { kernels::cat(a, b, 0, out); }),
            "cat: a tensor of i32 " + to_string(a.shape()) + " and one of i32 " +
                to_string(b.shape()) + " cannot be concatenated along dimension 0");
  EXPECT_EQ(refused([&] { kernels::cat(a, b, 2, out); }),
            "cat: there is no dimension 2 of 2; count from 0, or back from -1");
  EXPECT_NE(refused([&] { kernels::cat(scalar, scalar, 0, out); }), "");
  EXPECT_NE(refused([&] { kernels::cat(a, Tensor({2, 3}, DType::f32), 1, out); }), "");
  EXPECT_NE(refused([&] { kernels::cat(a, scalar, 0, out); }), "");
}

TEST(Reshape, KeepsElementsInOrder) {
  const Tensor in = counted({2, 3, 4}, 7);
  const struct {
    kernels::NewShape to;
    Shape expected;
  } cases[] = {{{{24}, 1, Layout::none}, {24}},
               {{{-1, 6}, 2, Layout::none}, {4, 6}},
               {{{4, -1, 2}, 3, Layout::hwc}, {4, 3, 2}},
               {{{1, 1, 24, 1, 1, -1}, 6, Layout::none}, {1, 1, 24, 1, 1, 1}}};
  for (const auto& one : cases) {
    Tensor out;
    kernels::reshape(in, one.to, out);
    EXPECT_EQ(out.shape(), one.expected);
    EXPECT_EQ(out.layout(), one.to.layout);
    for (int i = 0; i < 24; ++i) ASSERT_EQ(out.data<std::int32_t>()[i], 7 + i);
  }
  Tensor scalar;
  kernels::reshape(counted({1, 1}, 3), {{}, 0, Layout::none}, scalar);
  EXPECT_EQ(scalar.shape().rank, 0);
  EXPECT_EQ(scalar.data<std::int32_t>()[0], 3);
}

TEST(Reshape, RefusesWhatDoesNotFit) {
  const Tensor in = counted({2, 3}, 0), none = counted({0, 3}, 0);
  Tensor out;
  EXPECT_EQ(refused([&] {
              kernels::reshape(in, {{4, 2}, 2, Layout::none}, out);
            }),
            "reshape: a tensor of " + to_string(in.shape()) +
                " has 6 elements and cannot become one of 4 x 2");
  const std::int64_t many = std::int64_t{1} << 40;
  const kernels::NewShape impossible[] = {{{4, -1}, 2, Layout::none},
                                          {{-1, -1}, 2, Layout::none},
                                          {{6, -2}, 2, Layout::none},
                                          {{}, 0, Layout::none},
                                          {{0, -1}, 2, Layout::none},
                                          {{many, many, many}, 3, Layout::none},
                                          {{many, many, many, -1}, 4, Layout::none},
                                          {{6}, 1, Layout::hwc},
                                          {{6}, 7, Layout::none}};
  for (const kernels::NewShape& shape : impossible)
    EXPECT_NE(refused([&] { kernels::reshape(in, shape, out); }), "");
  EXPECT_NE(refused([&] { kernels::reshape(none, {{-1, 0}, 2, Layout::none}, out); }), "");
}

// Every element against the definition: dimension i of the result is dimension axes[i] of the
// input.
TEST(Permute, EachElementIsInItsPlace) {
  for (const auto& [shape, axes] : std::vector<std::pair<Shape, kernels::Axes>>{
           {{5}, {{0}, 1}},
           {{3, 4}, {{1, 0}, 2}},
           {{2, 3, 4}, {{2, 0, 1}, 3}},
           {{2, 3, 4}, {{1, 2, 0}, 3}},
           {{2, 3, 4}, {{0, 1, 2}, 3}},
           {{2, 0, 4}, {{2, 1, 0}, 3}},
           {{2, 3, 1, 4, 2, 3}, {{5, 3, 1, 0, 2, 4}, 6}}}) {
    const Tensor in = counted(shape, 5);
    Tensor out;
    kernels::permute(in, axes, out);
    ASSERT_EQ(out.shape().rank, shape.rank);
    for (std::int64_t i = 0; i < out.elements(); ++i) {
      std::int64_t rest = i, offset = 0;  // of the element in the input
      for (int d = shape.rank - 1; d >= 0; --d) {
        const auto place = static_cast<std::size_t>(d);
        offset += rest % out.shape().dims[place] *
                  in.strides()[static_cast<std::size_t>(axes.axes[place])];
        rest /= out.shape().dims[place];
      }
      ASSERT_EQ(out.data<std::int32_t>()[i], in.data<std::int32_t>()[offset]);
    }
  }
}

TEST(Permute, KnowsLayoutsOfImages) {
  Tensor image({4, 5, 3}, DType::u8, Layout::hwc), chw, back, other;
  for (int i = 0; i < 60; ++i) image.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(i);
  kernels::permute(image, {{2, 0, 1}, 3}, chw);
  EXPECT_EQ(chw.layout(), Layout::chw);
  kernels::permute(chw, {{1, 2, 0}, 3}, back);
  EXPECT_EQ(back.layout(), Layout::hwc);
  for (int i = 0; i < 60; ++i) ASSERT_EQ(back.data<std::uint8_t>()[i], i);
  kernels::permute(image, {{1, 0, 2}, 3}, other);
  EXPECT_EQ(other.layout(), Layout::none);
  kernels::permute(image, {{0, 1, 2}, 3}, other);
  EXPECT_EQ(other.layout(), Layout::hwc);
}

TEST(Permute, RefusesWhatIsNoOrder) {
  const Tensor in = counted({2, 3}, 0);
  Tensor out;
  const struct {
    kernels::Axes axes;
    std::string says;
  } all[] = {{{{0, 0}, 2}, "permute: axis 0 is named twice"},
             {{{0, 2}, 2}, "permute: an axis is 2; for 2 dimensions, 0 to 1 are possible"},
             {{{-1, 0}, 2}, "permute: an axis is -1; for 2 dimensions, 0 to 1 are possible"},
             {{{0, 1, 2}, 3},
              "permute: there are 3 axes for a tensor of " + to_string(in.shape()) +
                  "; name each dimension once"}};
  for (const auto& one : all)
    EXPECT_EQ(refused([&] { kernels::permute(in, one.axes, out); }), one.says);
}

}  // namespace kernels_tensors_test

// Parts of tensors, element by element against their indices.
namespace slice_tensor_test {

Tensor counted(const Shape& shape, Layout layout = Layout::none) {
  Tensor made(shape, DType::i32, layout);
  for (std::int64_t i = 0; i < made.elements(); ++i)
    made.data<std::int32_t>()[i] = static_cast<std::int32_t>(i);
  return made;
}

// The element of a tensor without gaps at (a, b, c).
std::int32_t at(const Tensor& tensor, std::int64_t a, std::int64_t b, std::int64_t c) {
  const Shape& shape = tensor.shape();
  return tensor.data<std::int32_t>()[(a * shape[1] + b) * shape[2] + c];
}

struct Case {
  int axis;
  std::int64_t start, length, expected;
};

TEST(SliceTensor, TakesWhatLiesBetween) {
  const Tensor in = counted({4, 5, 6}, Layout::chw);
  for (const Case& one : {Case{0, 1, 2, 2},
                          {1, 0, 5, 5},
                          {1, 4, 1, 1},
                          {2, 2, 3, 3},
                          {-1, 3, -1, 3},
                          {-3, 0, -1, 4},
                          {2, 6, -1, 0},
                          {0, 4, 0, 0}}) {
    const int axis = (one.axis + 3) % 3;
    SCOPED_TRACE("axis " + std::to_string(axis) + " from " + std::to_string(one.start));
    Tensor out;
    kernels::slice_tensor(in, one.axis, one.start, one.length, out);
    Shape shape = in.shape();
    shape.dims[static_cast<std::size_t>(axis)] = one.expected;
    ASSERT_EQ(out.shape(), shape);
    EXPECT_EQ(out.layout(), Layout::chw);
    for (std::int64_t a = 0; a < shape[0]; ++a) {
      for (std::int64_t b = 0; b < shape[1]; ++b) {
        for (std::int64_t c = 0; c < shape[2]; ++c) {
          std::array<std::int64_t, 3> from{a, b, c};
          from[static_cast<std::size_t>(axis)] += one.start;
          ASSERT_EQ(at(out, a, b, c), at(in, from[0], from[1], from[2]));
        }
      }
    }
  }
}

TEST(SliceTensor, OfEveryTypeAndOfViews) {
  for (int i = 0; i <= static_cast<int>(DType::i8); ++i) {
    Tensor in({3, 2}, static_cast<DType>(i)), out;
    for (std::size_t k = 0; k < in.nbytes(); ++k) in.bytes()[k] = static_cast<std::byte>(k % 2);
    kernels::slice_tensor(in, 0, 1, 1, out);
    EXPECT_EQ(out.dtype(), in.dtype());
    ASSERT_EQ(out.shape(), (Shape{1, 2}));
    EXPECT_EQ(std::to_integer<int>(out.bytes()[out.nbytes() - 1]), (in.nbytes() - 1) % 2);
  }
  Tensor whole = counted({6, 8}), out;
  const Tensor view = Tensor::view(whole.bytes() + 2 * sizeof(std::int32_t),
                                   {{3, 4}, DType::i32, Layout::none}, {16, 1});
  kernels::slice_tensor(view, 1, 1, 2, out);
  ASSERT_EQ(out.shape(), (Shape{3, 2}));
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 2; ++x) EXPECT_EQ(out.data<std::int32_t>()[y * 2 + x], y * 16 + 3 + x);
  }
}

TEST(SliceTensor, RefusesWhatLiesBeyond) {
  const Tensor in = counted({2, 5});
  const auto refused = [&](int axis, std::int64_t start, std::int64_t length) {
    Tensor out;
    return error_of<std::invalid_argument>(
        [&] { kernels::slice_tensor(in, axis, start, length, out); });
  };
  const std::string along = "; along dimension 1 of a tensor of (2, 5), ";
  EXPECT_EQ(refused(1, 6, -1), "slice_tensor: start is 6" + along + "0 to 5 are possible");
  EXPECT_EQ(refused(-1, -1, 1), "slice_tensor: start is -1" + along + "0 to 5 are possible");
  EXPECT_EQ(refused(1, 3, 4), "slice_tensor: length is 4" + along +
                                  "from 3 on, 0 to 2 are possible, or -1 for all of them");
  EXPECT_NE(refused(1, 0, -2), "");
  EXPECT_EQ(refused(2, 0, 1),
            "slice_tensor: there is no dimension 2 of 2; count from 0, or back from -1");
}

}  // namespace slice_tensor_test

// Tensors that are padded, element by element against the rule.
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
  if constexpr (detail::is_half<T>) {
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
  expect_fill<BFloat16>(std::ldexp(255, 120));
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
  EXPECT_NE(refused(DType::bf16, {.fill = 3.4e38}), "");
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
