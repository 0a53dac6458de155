#include <sluice/runtime/tensor.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace tensor_slices_test {

// Elements are their own numbers.
template <class T>
Tensor numbered(const Shape& shape, int first = 0) {
  Tensor tensor(shape, dtype_of<T>::value);
  for (std::int64_t k = 0; k < tensor.elements(); ++k)
    tensor.data<T>()[k] = static_cast<T>(static_cast<float>(first + k));
  return tensor;
}

// The sizes of the shape without or with one at `axis`.
Shape without(const Shape& shape, int axis) {
  Shape rest;
  for (int d = 0; d < shape.rank; ++d) {
    if (d != axis) rest.dims[static_cast<std::size_t>(rest.rank++)] = shape[d];
  }
  return rest;
}

// The number of the element at the place, as numbered() counts.
std::int64_t number_at(const Shape& shape, const std::vector<std::int64_t>& place) {
  std::int64_t k = 0;
  for (int d = 0; d < shape.rank; ++d) k = k * shape[d] + place[static_cast<std::size_t>(d)];
  return k;
}

// Calls visit(place) for each place in order.
void for_each_place(const Shape& shape,
                    const std::function<void(const std::vector<std::int64_t>&)>& visit) {
  for (std::int64_t k = 0; k < shape.elements(); ++k) {
    std::vector<std::int64_t> place(static_cast<std::size_t>(shape.rank));
    std::int64_t rest = k;
    for (int d = shape.rank; d-- > 0; rest /= shape[d])
      place[static_cast<std::size_t>(d)] = rest % shape[d];
    visit(place);
  }
}

const Shape kShapes[] = {{5}, {2, 3}, {3, 1, 4}, {2, 3, 4, 5}, {0, 3}, {3, 0}};

template <class T>
void expect_slices() {
  for (const Shape& shape : kShapes) {
    const Tensor tensor = numbered<T>(shape);
    for (int axis = 0; axis < shape.rank; ++axis) {
      std::vector<Tensor> slices;
      for (std::int64_t i = 0; i < shape[axis]; ++i) {
        SCOPED_TRACE(to_string(shape) + " axis " + std::to_string(axis));
        Tensor slice;
        take_slice(tensor, axis, i, slice);
        EXPECT_EQ(slice.shape(), without(shape, axis));
        EXPECT_EQ(slice.dtype(), dtype_of<T>::value);
        std::int64_t k = 0;
        for_each_place(slice.shape(), [&](std::vector<std::int64_t> place) {
          place.insert(place.begin() + axis, i);
          EXPECT_EQ(static_cast<float>(slice.data<T>()[k++]),
                    static_cast<float>(number_at(shape, place)));
        });
        slices.push_back(std::move(slice));
      }
      if (slices.empty() || tensor.elements() == 0) continue;
      Tensor stacked;
      stack_slices(slices, axis, stacked);
      EXPECT_TRUE(stacked == tensor) << to_string(shape) << " axis " << axis;
    }
  }
}

TEST(TensorSlices, TakenAndPutTogetherGiveTheTensorAgain) {
  expect_slices<std::uint8_t>();
  expect_slices<float>();
  expect_slices<Half>();
  expect_slices<BFloat16>();
}

TEST(TensorSlices, EmptyOnesBecomeZeros) {
  std::vector<Tensor> slices;
  slices.emplace_back();
  slices.push_back(numbered<float>({2}, 1));
  slices.emplace_back();
  Tensor out;
  stack_slices(slices, 1, out);
  ASSERT_EQ(out.shape(), (Shape{2, 3}));
  const float wanted[] = {0, 1, 0, 0, 2, 0};
  for (int k = 0; k < 6; ++k) EXPECT_EQ(out.data<float>()[k], wanted[k]);
  slices.erase(slices.begin() + 1);
  stack_slices(slices, 0, out);
  EXPECT_TRUE(out.empty());
  stack_slices(std::vector<Tensor>(), 0, out);
  EXPECT_TRUE(out.empty());
}

TEST(TensorSlices, ScalarsStackToAList) {
  std::vector<Tensor> slices;
  for (int i = 0; i < 3; ++i) slices.push_back(numbered<float>({}, i));
  Tensor out;
  stack_slices(slices, 0, out);
  ASSERT_EQ(out.shape(), (Shape{3}));
  Tensor scalar;
  take_slice(out, 0, 2, scalar);
  EXPECT_EQ(scalar.shape().rank, 0);
  EXPECT_EQ(scalar.data<float>()[0], 2.f);
}

TEST(TensorSlices, WhatDoesNotFitIsSaid) {
  const auto stack = [](Tensor a, Tensor b, int axis) {
    std::vector<Tensor> slices;
    slices.push_back(std::move(a));
    slices.push_back(std::move(b));
    Tensor out;
    stack_slices(slices, axis, out);
  };
  const auto take = [](const Shape& shape, int axis, std::int64_t index) {
    Tensor out;
    take_slice(numbered<float>(shape), axis, index, out);
  };
  struct Case {
    std::function<void()> call;
    const char* what;
  };
  const Case cases[] = {
      {[&] {
         take({2, 3}, 2, 0);
       },
       "axis 2 does not exist in a tensor of 2 dimensions"},
      {[&] {
         take({2, 3}, -1, 0);
       },
       "axis -1 does not exist in a tensor of 2 dimensions"},
      {[&] {
         take({2, 3}, 1, 3);
       },
       "there is no slice 3 along axis 1, which has 3"},
      {[&] {
         take({2, 3}, 1, -1);
       },
       "there is no slice -1 along axis 1, which has 3"},
      {[&] { stack(numbered<float>({2}), numbered<float>({2}), 2); },
       "axis 2 does not exist in the stack of 2 dimensions"},
      {[&] { stack(numbered<float>({2}), numbered<float>({3}), 0); },
       "slice 1 is (3) of f32, but the first one is (2) of f32"},
      {[&] { stack(numbered<float>({2}), numbered<std::uint8_t>({2}), 0); },
       "slice 1 is (2) of u8, but the first one is (2) of f32"},
      {[&] {
         stack(numbered<float>({1, 1, 1, 1, 1, 1}), {}, 0);
       },
       "tensors of 6 dimensions cannot be stacked"},
  };
  for (const Case& c : cases) {
    try {
      c.call();
      ADD_FAILURE() << c.what;
    } catch (const std::logic_error& error) {  // invalid_argument and out_of_range
      EXPECT_STREQ(error.what(), c.what);
    }
  }
}

}  // namespace tensor_slices_test
}  // namespace sluice
