// What the operators on values share. For operators only; users need not include it.
#pragma once

#include <sluice/graph/graph.h>

namespace sluice::detail {

// The graph that a value belongs to; throws BuildError for a default-constructed Value.
template <class T>
Graph graph_of(const Value<T>& value) {
  if (!value.valid()) throw_empty("an operator is given");
  return Graph(value.recorder());
}

}  // namespace sluice::detail
