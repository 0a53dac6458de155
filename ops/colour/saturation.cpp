#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/composing.h>
#include <sluice/ops/kernels/saturation.h>

namespace sluice {

const detail::OperatorPtr& detail::saturation_operator() {
  static const OperatorPtr op = composes_colours(
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
          }),
      [](kernels::ComposedColours& colours, float factor) {
        colours.check_colours("saturation");
        const kernels::ColourMatrix matrix = kernels::saturation_matrix(factor);
        if (colours.channels() != 1) colours.apply(matrix);
      });
  return op;
}

Value<Image> saturation(Value<Image> image, Param<float> factor) {
  return apply_operator<Image>(detail::saturation_operator(), image, factor);
}

}  // namespace sluice
