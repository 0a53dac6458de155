// The options that all resizing operators share. Internal to them.
#pragma once

#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/kernels/interpolation.h>

namespace sluice::detail {

// Adds two parameters of a kernel: the Interpolation, and whether to antialias.
inline OperatorDeclaration& add_resize_filter(OperatorDeclaration& declaration) {
  return declaration
      .choice("interpolation", Interpolation::bilinear,
              {Interpolation::nearest, Interpolation::box, Interpolation::bilinear,
               Interpolation::hamming, Interpolation::bicubic, Interpolation::lanczos},
              "of pixels")
      .constant<bool>("antialias",
                      {.value = true,
                       .help = "where the picture becomes smaller, each of its pixels counts; else "
                               "only those next to each place"});
}

}  // namespace sluice::detail
