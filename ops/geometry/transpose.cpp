#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/transpose.h>

namespace sluice {

const detail::OperatorPtr& detail::transpose_operator() {
  static const OperatorPtr op =
      declare_operator("transpose")
          .family("geometry")
          .summary("Rows become columns: mirrored at the diagonal.")
          .in_cpp("transpose(image)")
          .input<Image>("image")
          .output<Image>("image")
          .runs([](const Image& in, Image& out) { kernels::transpose(in, out); });
  return op;
}

Value<Image> transpose(Value<Image> image) {
  return apply_operator<Image>(detail::transpose_operator(), image);
}

}  // namespace sluice
