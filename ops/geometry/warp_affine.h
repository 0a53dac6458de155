// warp_affine: pictures whose pixels stand where an affine map leads.
//
// | takes         | layout, type | channels | gives                                    |
// |---------------|--------------|----------|------------------------------------------|
// | Image, matrix | HWC, 8 bit   | 1 to 4   | Image of the size asked for, or its own   |
//
// Pixels: see ops/kernels/warp_affine.h. Errors of a sample: a map that leads more than 16777216
// pixels away, or, with inverse_map off, one that cannot be turned round.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/border.h>
#include <sluice/ops/kernels/fill.h>
#include <sluice/ops/kernels/interpolation.h>
#include <sluice/runtime/image.h>

namespace sluice {

// Of place (x, y), where pixel (c, r) covers [c, c + 1) x [r, r + 1), it makes
// (xx x + xy y + x0, yx x + yy y + y0).
struct AffineMatrix {
  Param<float> xx = 1.f, xy = 0.f, x0 = 0.f;
  Param<float> yx = 0.f, yy = 1.f, y0 = 0.f;
};

struct WarpAffineOptions {
  Param<int> width = 0, height = 0;  // 0: the input's
  // The matrix makes places of the input of those of the output; else those of the output of those
  // of the input.
  bool inverse_map = true;
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  Param<Fill> fill = 0;
};

// Throws BuildError for a constant matrix that cannot be turned round where it has to be.
Value<Image> warp_affine(Value<Image> image, const AffineMatrix& matrix,
                         const WarpAffineOptions& options = {});

namespace detail {
const OperatorPtr& warp_affine_operator();
}  // namespace detail

}  // namespace sluice
