#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/kernels/equalize.h>

namespace sluice {

const detail::OperatorPtr& detail::equalize_operator() {
  static const OperatorPtr op =
      declare_operator("equalize")
          .family("colour")
          .summary("Each channel's levels spread so that about as many pixels have each.")
          .in_cpp("equalize(image)")
          .input<Image>("image")
          .output<Image>("image")
          .runs([](const Image& in, Image& out) { kernels::equalize(in, out); });
  return op;
}

Value<Image> equalize(Value<Image> image) {
  return apply_operator<Image>(detail::equalize_operator(), image);
}

}  // namespace sluice
