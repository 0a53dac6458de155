// laplacian: edges of pictures.
//
// | takes | layout, type | channels | gives                   |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the same size  |
//
// Pixels: see ops/kernels/laplacian.h. Errors of a sample: windows other than 1, 3, 5 and 7.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

struct LaplacianOptions {
  Param<int> window_size = 3;  // 1, 3, 5 or 7
  Param<float> scale = 1.f;    // of the sum, before it is cut to 0 .. 255
};

Value<Image> laplacian(Value<Image> image, const LaplacianOptions& options = {});

namespace detail {
const OperatorPtr& laplacian_operator();
}  // namespace detail

}  // namespace sluice
