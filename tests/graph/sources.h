// Sources for the tests of graphs.
#pragma once

#include <sluice/graph/graph.h>

#include <cstdint>

namespace sluice {

// Returns the sample's own number: 0 to count - 1.
inline Value<std::int64_t> indices(Graph& g, std::int64_t count) {
  return g.source(count, [](const SampleInfo& info) { return info.index_in_epoch; });
}

}  // namespace sluice
