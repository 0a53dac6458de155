#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/kernels/to_image.h>
#include <sluice/ops/tensors.h>

namespace sluice {

const OperatorPtr& detail::to_image_operator() {
  static const OperatorPtr op =
      declare_operator("to_image")
          .family("tensors")
          .summary(
              "A tensor's numbers, rounded and cut off at 0 and 255, as the pixels of a picture.")
          .in_cpp("to_image(image * 0.5f)")
          .in_cpp("to_image(image / 255.f, {.white = 1.f})")
          .input<Tensor>("tensor")
          .parameter<float>("white", {.value = 0.f,
                                      .optional = true,
                                      .low = 0,
                                      .low_open = true,
                                      .help = "the number for white; 255 by default, which is "
                                              "an error if fractions are all 1 or below"})
          .output<Image>("image")
          .runs([](const Tensor& in, float white, Image& out) {
            kernels::to_image(in, out, white == 0 ? 255.f : white);
            if (white == 0) kernels::require_levels(in);
          });
  return op;
}

Value<Image> to_image(Value<Tensor> tensor, const ToImageOptions& options) {
  return apply_operator<Image>(detail::to_image_operator(), tensor, options.white);
}

}  // namespace sluice
