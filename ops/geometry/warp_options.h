// What warp_affine, shear and translate have in common: how places become levels, as parameters.
// Internal to them.
#pragma once

#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/geometry/fill_numbers.h>
#include <sluice/ops/kernels/warp_rows.h>

#include <utility>

namespace sluice::detail {

inline OperatorDeclaration with_warp_options(OperatorDeclaration declaration) {
  declaration
      .choice("interpolation", Interpolation::bilinear,
              {Interpolation::nearest, Interpolation::bilinear}, "of pixels")
      .choice("border", Border::constant, {Border::constant, Border::edge},
              "pixels that have no source: the fill, or the nearest pixel")
      .constant("fill", fill_option("the colour for border = constant, for each channel"));
  return declaration;
}

inline kernels::WarpOptions warp_options(Interpolation interpolation, Border border,
                                         const FillNumbers& fill) {
  return {interpolation, border, fill_of(fill)};
}

}  // namespace sluice::detail
