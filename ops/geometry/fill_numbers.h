// A fill as a parameter of operators: four numbers. Internal to them; fill_of in rotate.h leads
// back.
#pragma once

#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/geometry/rotate.h>
#include <sluice/ops/kernels/fill.h>

#include <array>

namespace sluice::detail {

using FillNumbers = std::array<float, 4>;

inline FillNumbers numbers_of_fill(const Fill& fill) {
  return {static_cast<float>(fill[0]), static_cast<float>(fill[1]), static_cast<float>(fill[2]),
          static_cast<float>(fill[3])};
}

inline ParameterOptions<FillNumbers> fill_option(const char* help) {
  return {.value = FillNumbers{}, .low = 0, .high = 255, .help = help};
}

}  // namespace sluice::detail
