// min_area, max_area, min_ratio and max_ratio: constants of the operators that draw random
// rectangles. Internal to them.
#pragma once

#include <sluice/graph/builder/declare_operator.h>
#include <sluice/runtime/error.h>

#include <cstddef>
#include <string>

namespace sluice::detail {

// Throws BuildError unless these constants, which begin at argument `first`, are in order.
inline void check_area_and_ratio(const std::string& op, const Arguments& arguments,
                                 std::size_t first) {
  const auto number = [&](std::size_t i) { return *constant_of<float>(arguments.at(first + i)); };
  const auto in_order = [&](const char* name, float low, float high) {
    if (low <= high) return;
    throw BuildError(op + ": min_" + name + " is " + std::to_string(low) +
                     ", which is more than max_" + name + ", " + std::to_string(high));
  };
  in_order("area", number(0), number(1));
  in_order("ratio", number(2), number(3));
}

// `usual` has the defaults; `ratio_help` says which ratio it is.
template <class Options>
OperatorDeclaration& add_area_and_ratio(OperatorDeclaration& declaration, const Options& usual,
                                        const char* ratio_help) {
  const auto area = [](float value) {
    return ParameterOptions<float>{.value = value,
                                   .low = 0,
                                   .high = 1,
                                   .low_open = true,
                                   .help = "a part of the picture's area"};
  };
  const auto ratio = [&](float value) {
    return ParameterOptions<float>{.value = value, .low = 0, .low_open = true, .help = ratio_help};
  };
  return declaration.constant("min_area", area(usual.min_area))
      .constant("max_area", area(usual.max_area))
      .constant("min_ratio", ratio(usual.min_ratio))
      .constant("max_ratio", ratio(usual.max_ratio));
}

}  // namespace sluice::detail
