// A fill as a parameter of operators: four numbers. Internal to them; fill_of in rotate.h leads
// back.
#pragma once

#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/geometry/rotate.h>
#include <sluice/ops/kernels/border.h>
#include <sluice/ops/kernels/fill.h>

#include <array>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace sluice::detail {

using FillNumbers = std::array<float, 4>;

inline FillNumbers numbers_of_fill(const Fill& fill) {
  return {static_cast<float>(fill[0]), static_cast<float>(fill[1]), static_cast<float>(fill[2]),
          static_cast<float>(fill[3])};
}

inline ParameterOptions<FillNumbers> fill_option(const char* help) {
  return {.value = FillNumbers{}, .low = 0, .high = 255, .help = help};
}

// How a warp interpolates and fills, for Composing: a fill counts where there is one.
inline std::vector<Constant> warp_manner(const Argument& interpolation, const Argument& border,
                                         const Argument& fill) {
  std::vector<Constant> manner{std::get<Constant>(interpolation), std::get<Constant>(border)};
  if (manner.back() == Constant(std::string(name_of(Border::constant))))
    manner.push_back(std::get<Constant>(fill));
  return manner;
}
// Of operators that have these last: see warp_options.h.
inline std::vector<Constant> last_warp_manner(const Arguments& arguments) {
  const std::size_t end = arguments.size();
  return warp_manner(arguments.at(end - 3), arguments.at(end - 2), arguments.at(end - 1));
}

}  // namespace sluice::detail
