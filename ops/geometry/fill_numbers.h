// A fill as four number parameters of an operator. Internal to operators; fill_of in rotate.h
// converts it back.
#pragma once

#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/border.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sluice::detail {

using FillNumbers = std::array<float, 4>;

inline Param<FillNumbers> numbers_of_fill(const Param<Fill>& fill) {
  if (!fill.is_constant()) return fill.value();
  const Fill& levels = fill.constant();
  return FillNumbers{static_cast<float>(levels[0]), static_cast<float>(levels[1]),
                     static_cast<float>(levels[2]), static_cast<float>(levels[3])};
}
inline ParameterOptions<FillNumbers> fill_option(const char* help) {
  return {.value = FillNumbers{}, .low = 0, .high = 255, .help = help};
}

// Returns how a warp interpolates and fills, for Composing. The fill is included only if it is
// used; the result is empty if it differs per sample.
inline std::optional<std::vector<Constant>> warp_manner(const Argument& interpolation,
                                                        const Argument& border,
                                                        const Argument& fill) {
  std::vector<Constant> manner{std::get<Constant>(interpolation), std::get<Constant>(border)};
  if (manner.back() != Constant(std::string(name_of(Border::constant)))) return manner;
  const auto* colour = std::get_if<Constant>(&fill);
  if (colour == nullptr) return std::nullopt;
  manner.push_back(*colour);
  return manner;
}
// For operators whose last parameters these are: see warp_options.h.
inline std::optional<std::vector<Constant>> last_warp_manner(const Arguments& arguments) {
  const std::size_t end = arguments.size();
  return warp_manner(arguments.at(end - 3), arguments.at(end - 2), arguments.at(end - 1));
}

}  // namespace sluice::detail
