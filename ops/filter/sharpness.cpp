#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/kernels/sharpness.h>

namespace sluice {

const detail::OperatorPtr& detail::sharpness_operator() {
  static const OperatorPtr op =
      declare_operator("sharpness")
          .family("filter")
          .summary("Sharpened or smoothed; pixels on the border stay what they are.")
          .in_cpp("sharpness(image, g.uniform(0.1f, 1.9f))")
          .input<Image>("image")
          .parameter<float>("factor", {.low = 0,
                                       .high = kernels::kLargestSharpness,
                                       .help = "0 smooths, 1 changes nothing, 2 sharpens"})
          .output<Image>("image")
          .runs([](const Image& in, float factor, Image& out) {
            kernels::sharpness(in, factor, out);
          });
  return op;
}

Value<Image> sharpness(Value<Image> image, Param<float> factor) {
  return apply_operator<Image>(detail::sharpness_operator(), image, factor);
}

}  // namespace sluice
