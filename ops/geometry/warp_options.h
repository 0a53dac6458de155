// What warp_affine, shear, translate and others have in common: how places become levels, as
// parameters. Internal to them.
#pragma once

#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/geometry/fill_numbers.h>
#include <sluice/ops/kernels/warp_rows.h>

#include <utility>
#include <vector>

namespace sluice::detail {

inline OperatorDeclaration with_warp_options(OperatorDeclaration declaration,
                                             const std::vector<Interpolation>& interpolations = {
                                                 Interpolation::nearest, Interpolation::bilinear}) {
  declaration.choice("interpolation", Interpolation::bilinear, interpolations, "of pixels")
      .choice("border", Border::constant, {Border::constant, Border::edge},
              "pixels that have no source: the fill, or the nearest pixel")
      .constant("fill", fill_option("the colour for border = constant, for each channel"));
  return declaration;
}

// Of those that follow no straight lines.
inline OperatorDeclaration with_smooth_warp_options(OperatorDeclaration declaration) {
  return with_warp_options(std::move(declaration), {Interpolation::nearest, Interpolation::bilinear,
                                                    Interpolation::bicubic});
}

inline kernels::WarpOptions warp_options(Interpolation interpolation, Border border,
                                         const FillNumbers& fill) {
  return {interpolation, border, fill_of(fill)};
}

}  // namespace sluice::detail
