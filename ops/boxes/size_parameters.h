// The size of an image as parameters of the operators on boxes and points. Internal to them.
#pragma once

#include <sluice/graph/builder/declare_operator.h>

#include <cstdint>
#include <string>

namespace sluice::detail {

inline OperatorDeclaration& add_size(OperatorDeclaration& declaration,
                                     const std::string& prefix = "", bool from = true) {
  constexpr int kMost = 65535;
  const std::string of = from ? "of the picture that they belong to" : "of the picture then";
  return declaration
      .parameter<std::int32_t>(prefix + "height", {.low = 1, .high = kMost, .help = of})
      .parameter<std::int32_t>(prefix + "width", {.low = 1, .high = kMost, .help = of});
}

}  // namespace sluice::detail
