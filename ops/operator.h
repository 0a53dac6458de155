// What the operators on values share. For operators only; users need not include it.
#pragma once

#include <sluice/graph/graph.h>

#include <string_view>

namespace sluice::detail {

// The graph of the value that an operator is given; throws BuildError, which names the operator,
// for a default-constructed Value.
template <class T>
Graph graph_of(const Value<T>& value, std::string_view name) {
  if (!value.valid()) throw_empty(is_given(name));
  return Graph(value.recorder());
}

}  // namespace sluice::detail
