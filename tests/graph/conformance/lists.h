// Lists for loops to iterate over and to fill.
#pragma once

#include "tests/graph/conformance/counted.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace sluice::conformance {

using Ints = std::vector<int>;

inline constexpr int kPi[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
inline Value<Ints> given_list(Graph& g) { return g.constant(Ints(std::begin(kPi), std::end(kPi))); }

// Returns the values as an output of that length holds them: cut off, or filled up with zeros.
inline Ints filled(Ints values, std::size_t length, bool reverse = false) {
  if (reverse) std::reverse(values.begin(), values.end());
  values.resize(length);
  return values;
}

}  // namespace sluice::conformance
