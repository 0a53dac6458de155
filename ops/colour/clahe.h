// clahe: contrast evened out from place to place (CLAHE).
//
// | takes | layout, type | channels | gives                   |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1, 3, 4  | Image of the same size  |
//
// Pixels: see ops/kernels/clahe.h. Errors of a sample: pictures of 2 channels.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

struct ClaheOptions {
  Param<float> clip_limit = 2.f;  // how much contrast may grow; 0: as much as it can
  Param<int> tiles_y = 8, tiles_x = 8;
};

Value<Image> clahe(Value<Image> image, const ClaheOptions& options = {});

namespace detail {
const OperatorPtr& clahe_operator();
}  // namespace detail

}  // namespace sluice
