// elastic: pictures as if painted on rubber, pulled at random.
//
// | takes | layout, type | channels | gives                   |
// |-------|--------------|----------|-------------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image of the same size  |
//
// Pixels: see ops/kernels/elastic.h. Random numbers are those of the sample's key.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/kernels/border.h>
#include <sluice/ops/kernels/fill.h>
#include <sluice/ops/kernels/interpolation.h>
#include <sluice/runtime/image.h>

namespace sluice {

struct ElasticOptions {
  Param<float> alpha = 50.f;  // how far pixels move, before they are smoothed: alpha / 2 at most
  Param<float> sigma = 5.f;   // how smoothly, in pixels
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  Param<Fill> fill = 0;
};

Value<Image> elastic(Value<Image> image, const ElasticOptions& options = {});

namespace detail {
const OperatorPtr& elastic_operator();
}  // namespace detail

}  // namespace sluice
