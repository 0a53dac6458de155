// pad_tensor in pipelines: constants, and numbers of each sample.
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
namespace tensors_pad_tensor_test {

// Sample i has i + 1 rows.
Value<Tensor> rows(Graph& g) {
  return g.source(3, [](const SampleInfo& info) {
    Tensor made({info.index + 1, 3}, DType::u8);
    for (std::int64_t i = 0; i < made.elements(); ++i)
      made.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(i);
    return made;
  });
}

TEST(PadTensorOperator, InAGraph) {
  auto pipeline = make_pipeline({.batch_size = 3}, [](Graph& g) {
    auto tensor = rows(g);
    auto index = g.source(3, [](const SampleInfo& info) { return info.index; });
    return std::tuple{pad_tensor(tensor, {{.length = 4}}, 255),
                      pad_tensor(tensor, {{.axis = 0, .align = 2}, {.axis = -1, .length = 5}}),
                      pad_tensor(tensor, {{.axis = 1, .length = index + 3}}, index)};
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_EQ(batch->size(), 3u);
  for (std::size_t s = 0; s < 3; ++s) {
    const auto own = static_cast<std::int64_t>(s + 1);
    const Tensor& padded = batch->get<0>()[s];
    ASSERT_EQ(padded.shape(), (Shape{4, 3}));
    for (std::int64_t i = 0; i < 12; ++i)
      EXPECT_EQ(padded.data<std::uint8_t>()[i], i < own * 3 ? i : 255);
    const Tensor& both = batch->get<1>()[s];
    ASSERT_EQ(both.shape(), (Shape{(own + 1) / 2 * 2, 5}));
    EXPECT_EQ(both.data<std::uint8_t>()[2], 2);
    EXPECT_EQ(both.data<std::uint8_t>()[3], 0);
    const Tensor& each = batch->get<2>()[s];
    ASSERT_EQ(each.shape(), (Shape{own, own + 2}));
    EXPECT_EQ(each.data<std::uint8_t>()[own + 1], s == 0 ? 2 : s);
  }
}

TEST(PadTensorOperator, WhatDoesNotFitIsTheErrorOfItsSample) {
  auto pipeline = make_pipeline({.batch_size = 3, .on_error = OnError::skip}, [](Graph& g) {
    auto tensor = rows(g);
    auto index = g.source(3, [](const SampleInfo& info) { return info.index; });
    return pad_tensor(tensor, {{.length = 4, .align = 2 - index}}, index * 300);
  });
  const auto batch = pipeline.epoch().next();
  EXPECT_EQ(batch->size(), 1u);
  ASSERT_EQ(batch->errors().size(), 2u);
  EXPECT_EQ(batch->errors()[0].what,
            "pad_tensor: fill is 300; for a tensor of u8, whole numbers from 0 to 255 are "
            "possible");
  EXPECT_EQ(batch->errors()[1].what.find("pad_tensor: align must "), 0u);
}

TEST(PadTensorOperator, NothingIsNoPadding) {
  EXPECT_EQ(error_of<BuildError>([] { (void)pad_tensor(Value<Tensor>(), {}); }),
            "pad_tensor: there are no paddings; give at least one");
}

}  // namespace tensors_pad_tensor_test
}  // namespace sluice
