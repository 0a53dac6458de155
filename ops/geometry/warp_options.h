// What warp_affine, shear and translate have in common: how places become levels, as parameters.
// Internal to them.
#pragma once

#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/kernels/warp_rows.h>

#include <array>
#include <utility>

namespace sluice::detail {

using FillNumbers = std::array<float, 4>;

inline OperatorDeclaration with_warp_options(OperatorDeclaration declaration) {
  declaration
      .choice("interpolation", Interpolation::bilinear,
              {Interpolation::nearest, Interpolation::bilinear}, "of pixels")
      .choice("border", Border::constant, {Border::constant, Border::edge},
              "pixels that have no source: the fill, or the nearest pixel")
      .constant<FillNumbers>("fill",
                             {.value = FillNumbers{},
                              .low = 0,
                              .high = 255,
                              .help = "the colour for border = constant, for each channel"});
  return declaration;
}

inline kernels::WarpOptions warp_options(Interpolation interpolation, Border border,
                                         const FillNumbers& fill) {
  const auto level = [&](std::size_t c) { return static_cast<int>(fill.at(c)); };
  return {interpolation, border, {level(0), level(1), level(2), level(3)}};
}

inline FillNumbers numbers_of_fill(const Fill& fill) {
  return {static_cast<float>(fill[0]), static_cast<float>(fill[1]), static_cast<float>(fill[2]),
          static_cast<float>(fill[3])};
}

}  // namespace sluice::detail
