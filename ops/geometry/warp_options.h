// The parameters that warp_affine, shear, translate and other warps share: how source positions
// become pixel values. Internal to them.
#pragma once

#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/geometry/fill_numbers.h>
#include <sluice/ops/kernels/warp_rows.h>

#include <cstdint>
#include <vector>

namespace sluice::detail {

inline std::vector<Interpolation> warp_interpolations() {
  return {Interpolation::nearest, Interpolation::bilinear, Interpolation::bicubic};
}

inline OperatorDeclaration with_warp_options(OperatorDeclaration declaration) {
  declaration.choice("interpolation", Interpolation::bilinear, warp_interpolations(), "of pixels")
      .choice("border", Border::constant, {Border::constant, Border::edge},
              "pixels that have no source: the fill, or the nearest pixel")
      .parameter("fill", fill_option("the colour for border = constant, for each channel"));
  return declaration;
}

inline ParameterOptions<float> a_number(float otherwise, const char* help) {
  return {.value = otherwise, .help = help};
}

// Adds the matrix from an output pixel to its source position; warp_perspective's has more entries.
inline OperatorDeclaration with_matrix(OperatorDeclaration declaration) {
  declaration.parameter("xx", a_number(1, "x of the source, for each x"))
      .parameter("xy", a_number(0, "x of the source, for each y"))
      .parameter("x0", a_number(0, "x of the source, for the corner"))
      .parameter("yx", a_number(0, "y of the source, for each x"))
      .parameter("yy", a_number(1, "y of the source, for each y"))
      .parameter("y0", a_number(0, "y of the source, for the corner"));
  return declaration;
}
// Options of an output side; 0 stands for the input's.
inline ParameterOptions<std::int32_t> warped_size() {
  return {.value = 0,
          .optional = true,
          .low = 1,
          .high = 65535,
          .help = "in pixels; without it, the input's"};
}

inline kernels::WarpOptions warp_options(Interpolation interpolation, Border border,
                                         const FillNumbers& fill) {
  return {interpolation, border, fill_of(fill)};
}

}  // namespace sluice::detail
