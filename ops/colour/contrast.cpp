#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/kernels/contrast.h>

namespace sluice {

const detail::OperatorPtr& detail::contrast_operator() {
  static const OperatorPtr op =
      declare_operator("contrast")
          .family("colour")
          .summary("Levels drawn away from the picture's mean luma, or towards it.")
          .in_cpp("contrast(image, 1.5f)")
          .input<Image>("image")
          .parameter<float>("factor",
                            {.low = 0, .help = "0 leaves one gray level, 1 changes nothing"})
          .output<Image>("image")
          .runs([](const Image& in, float factor, Image& out) {
            kernels::contrast(in, factor, out);
          });
  return op;
}

Value<Image> contrast(Value<Image> image, Param<float> factor) {
  return apply_operator<Image>(detail::contrast_operator(), image, factor);
}

}  // namespace sluice
