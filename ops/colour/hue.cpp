#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/kernels/hue.h>

namespace sluice {

const detail::OperatorPtr& detail::hue_operator() {
  static const OperatorPtr op =
      declare_operator("hue")
          .family("colour")
          .summary("Colours turned round the circle of hues, by HSV.")
          .in_cpp("hue(image, g.uniform(-18.f, 18.f))")
          .input<Image>("image")
          .parameter<float>("degrees", {.help = "0 changes nothing; red becomes green at 120"})
          .output<Image>("image")
          .runs([](const Image& in, float degrees, Image& out) { kernels::hue(in, degrees, out); });
  return op;
}

Value<Image> hue(Value<Image> image, Param<float> degrees) {
  return apply_operator<Image>(detail::hue_operator(), image, degrees);
}

}  // namespace sluice
