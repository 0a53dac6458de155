// Tensors that are joined and reshaped, element by element.
#include "tests/error_of.h"
#include <sluice/ops/kernels/tensors.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>

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
                to_string(b.shape()) + " do not fit together along dimension 0");
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

}  // namespace kernels_tensors_test
}  // namespace sluice
