// Steps that make tensors, for the tests of graphs.
#pragma once

#include <sluice/graph/graph.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace sluice {

// Makes two elements in each dimension, each byte the sample's number. The spec is not declared.
inline Value<Tensor> secret_tensor(Graph& g, Value<std::int64_t> n, const TensorSpec& spec,
                                   std::string_view name = "secret") {
  Shape shape;
  shape.rank = spec.rank.value_or(3);
  for (int axis = 0; axis < shape.rank; ++axis) shape.dims[static_cast<std::size_t>(axis)] = 2;
  return g.map_into<Tensor>(
      name,
      [made = ValueSpec{shape, spec.dtype.value_or(DType::f32),
                        spec.layout.value_or(Layout::none)}](std::int64_t x, Tensor& out) {
        out.create(made.shape, made.dtype, made.layout);
        std::memset(out.bytes(), static_cast<int>(x), made.bytes());
      },
      n);
}

// The same, with a declared spec.
inline Value<Tensor> known_tensor(Graph& g, Value<std::int64_t> n, const TensorSpec& spec,
                                  std::string_view name = "known") {
  return g.declare(secret_tensor(g, n, spec, name), spec);
}

}  // namespace sluice
