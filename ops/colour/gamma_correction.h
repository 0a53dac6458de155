// gamma_correction: dark and light levels drawn apart or together by a power.
//
// | takes              | layout, type | channels | gives             |
// |--------------------|--------------|----------|-------------------|
// | Image, gamma, gain | HWC, 8 bit   | 1 to 4   | Image, same shape |
//
// out = 255 * (x / 255)^gamma * gain, rounded to nearest: see ops/kernels/gamma_correction.h. Below
// 1, gamma makes dark parts lighter; 1 and 1 change nothing.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

namespace sluice {

Value<Image> gamma_correction(Value<Image> image, Param<float> gamma, Param<float> gain = 1.f);

namespace detail {
const OperatorPtr& gamma_correction_operator();
}  // namespace detail

}  // namespace sluice
