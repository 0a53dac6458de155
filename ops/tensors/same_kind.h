// Shared declarations of operators that change the size of a tensor along one dimension. For
// operators only.
#pragma once

#include <sluice/graph/builder/declare_operator.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <vector>

namespace sluice::detail {

// The parameter that selects the dimension.
inline ParameterOptions<std::int32_t> axis_option() {
  return {.value = 0,
          .low = -Shape::kMaxRank,
          .high = Shape::kMaxRank - 1,
          .help = "from 0, or back from -1, the last one"};
}

// The spec of the result has the type and the number of dimensions of the first input.
inline std::vector<TensorSpec> same_kind(const Arguments&, const std::vector<TensorSpec>& inputs) {
  return {{.dtype = inputs.at(0).dtype, .layout = {}, .rank = inputs.at(0).rank, .place = {}}};
}

}  // namespace sluice::detail
