// A fill as a parameter of operators: four numbers. Internal to them.
#pragma once

#include <sluice/ops/kernels/fill.h>

#include <array>
#include <cstddef>

namespace sluice::detail {

using FillNumbers = std::array<float, 4>;

inline FillNumbers numbers_of_fill(const Fill& fill) {
  return {static_cast<float>(fill[0]), static_cast<float>(fill[1]), static_cast<float>(fill[2]),
          static_cast<float>(fill[3])};
}

inline Fill fill_of_numbers(const FillNumbers& numbers) {
  const auto level = [&](std::size_t c) { return static_cast<int>(numbers.at(c)); };
  return {level(0), level(1), level(2), level(3)};
}

}  // namespace sluice::detail
