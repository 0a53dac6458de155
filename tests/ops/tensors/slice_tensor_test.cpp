// slice_tensor in pipelines: constants, and numbers of each sample.
#include "tests/error_of.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/tensors.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

namespace sluice {
namespace tensors_slice_tensor_test {

Value<Tensor> counted(Graph& g, std::int64_t samples) {
  return g.source(samples, [](const SampleInfo&) {
    Tensor made({4, 6}, DType::i32);
    for (std::int32_t i = 0; i < 24; ++i) made.data<std::int32_t>()[i] = i;
    return made;
  });
}

TEST(SliceTensorOperator, InAGraph) {
  auto pipeline = make_pipeline({.batch_size = 3}, [](Graph& g) {
    auto tensor = counted(g, 3);
    auto index = g.source(3, [](const SampleInfo& info) { return static_cast<int>(info.index); });
    return std::tuple{
        slice_tensor(tensor, {{.axis = 0, .start = 1, .length = 2}, {.axis = -1, .start = 4}}),
        slice_tensor(tensor, {{.axis = 1, .start = index, .length = index + 1}})};
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_EQ(batch->size(), 3u);
  for (std::size_t s = 0; s < 3; ++s) {
    const Tensor& corner = batch->get<0>()[s];
    ASSERT_EQ(corner.shape(), (Shape{2, 2}));
    EXPECT_EQ(corner.data<std::int32_t>()[0], 10);
    EXPECT_EQ(corner.data<std::int32_t>()[3], 17);
    const auto i = static_cast<std::int32_t>(s);
    const Tensor& columns = batch->get<1>()[s];
    ASSERT_EQ(columns.shape(), (Shape{4, i + 1}));
    EXPECT_EQ(columns.data<std::int32_t>()[0], i);
    EXPECT_EQ(columns.data<std::int32_t>()[4 * (i + 1) - 1], 18 + 2 * i);
  }
}

TEST(SliceTensorOperator, WhatLiesBeyondIsTheErrorOfItsSample) {
  auto pipeline = make_pipeline({.batch_size = 4, .on_error = OnError::skip}, [](Graph& g) {
    auto tensor = counted(g, 4);
    auto index = g.source(4, [](const SampleInfo& info) { return 4 * info.index - 1; });
    return slice_tensor(tensor, {{.axis = 1, .start = index, .length = 2}});
  });
  const auto batch = pipeline.epoch().next();
  EXPECT_EQ(batch->size(), 1u);
  ASSERT_EQ(batch->errors().size(), 3u);
  EXPECT_EQ(batch->errors()[0].what.find("slice_tensor: start must "), 0u);
  EXPECT_EQ(batch->errors()[1].what,
            "slice_tensor: start is 7; along dimension 1 of a tensor of (4, 6), 0 to 6 are "
            "possible");
}

TEST(SliceTensorOperator, NothingIsNoRange) {
  EXPECT_EQ(error_of<BuildError>([] { (void)slice_tensor(Value<Tensor>(), {}); }),
            "slice_tensor: there are no ranges; give at least one");
}

}  // namespace tensors_slice_tensor_test
}  // namespace sluice
