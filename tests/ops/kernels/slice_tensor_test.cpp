// Parts of tensors, element by element against their indices.
#include "tests/error_of.h"
#include <sluice/ops/kernels/slice_tensor.h>
#include <sluice/runtime/image.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
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
}  // namespace sluice
