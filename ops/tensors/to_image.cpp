#include <sluice/graph/builder/apply_operator.h>
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/kernels/to_image.h>
#include <sluice/ops/tensors/to_image.h>

namespace sluice {

const OperatorPtr& detail::to_image_operator() {
  static const OperatorPtr op =
      declare_operator("to_image")
          .family("tensors")
          .summary(
              "A tensor's numbers, rounded and cut off at 0 and 255, as the pixels of a picture.")
          .in_cpp("to_image(image * 0.5f)")
          .input<Tensor>("tensor")
          .output<Image>("image")
          .runs([](const Tensor& in, Image& out) { kernels::to_image(in, out); });
  return op;
}

Value<Image> to_image(Value<Tensor> tensor) {
  return apply_operator<Image>(detail::to_image_operator(), tensor);
}

}  // namespace sluice
