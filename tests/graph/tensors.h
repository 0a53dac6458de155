// Steps that make tensors, for the tests of graphs.
#pragma once

#include <sluice/graph/graph.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace sluice {

// Two elements in each dimension, each byte the sample's number. Nobody is told what it is like.
inline Value<Tensor> secret_tensor(Graph& g, Value<std::int64_t> n, const TensorSpec& facts,
                                   std::string_view name = "secret") {
  Shape shape;
  shape.rank = facts.rank.value_or(3);
  for (int axis = 0; axis < shape.rank; ++axis) shape.dims[static_cast<std::size_t>(axis)] = 2;
  return g.map_into<Tensor>(
      name,
      [spec = ValueSpec{shape, facts.dtype.value_or(DType::f32),
                        facts.layout.value_or(Layout::none)}](std::int64_t x, Tensor& out) {
        out.create(spec.shape, spec.dtype, spec.layout);
        std::memset(out.bytes(), static_cast<int>(x), spec.bytes());
      },
      n);
}

// The same, and it is told.
inline Value<Tensor> known_tensor(Graph& g, Value<std::int64_t> n, const TensorSpec& facts,
                                  std::string_view name = "known") {
  return g.declare(secret_tensor(g, n, facts, name), facts);
}

}  // namespace sluice
