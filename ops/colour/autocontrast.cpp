#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/kernels/autocontrast.h>

namespace sluice {

const detail::OperatorPtr& detail::autocontrast_operator() {
  static const OperatorPtr op =
      declare_operator("autocontrast")
          .family("colour")
          .summary("Each channel stretched, so that it goes from 0 to 255.")
          .in_cpp("autocontrast(image)")
          .input<Image>("image")
          .output<Image>("image")
          .runs([](const Image& in, Image& out) { kernels::autocontrast(in, out); });
  return op;
}

Value<Image> autocontrast(Value<Image> image) {
  return apply_operator<Image>(detail::autocontrast_operator(), image);
}

}  // namespace sluice
