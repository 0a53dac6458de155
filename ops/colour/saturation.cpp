#include <sluice/graph/builder/apply_operator.h>
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/colour/saturation.h>
#include <sluice/ops/kernels/saturation.h>

namespace sluice {

const detail::OperatorPtr& detail::saturation_operator() {
  static const OperatorPtr op =
      declare_operator("saturation")
          .family("colour")
          .summary("Stronger or paler colours.")
          .in_cpp("saturation(image, 1.5f)")
          .input<Image>("image")
          .parameter<float>("factor",
                            {.low = 0, .help = "0 makes the picture gray, 1 changes nothing"})
          .output<Image>("image")
          .runs([](const Image& in, float factor, Image& out) {
            kernels::saturation(in, factor, out);
          });
  return op;
}

Value<Image> saturation(Value<Image> image, Param<float> factor) {
  return apply_operator<Image>(detail::saturation_operator(), image, factor);
}

}  // namespace sluice
