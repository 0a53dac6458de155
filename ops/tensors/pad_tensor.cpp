#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/kernels/pad_tensor.h>
#include <sluice/ops/tensors.h>
#include <sluice/ops/tensors/same_kind.h>
#include <sluice/runtime/error.h>

#include <numeric>

namespace sluice {

const OperatorPtr& detail::pad_tensor_operator() {
  static const OperatorPtr op =
      declare_operator("pad_tensor")
          .family("tensors")
          .summary("A tensor made longer along a dimension, with one number behind its elements.")
          .in_cpp("pad_tensor(boxes, {{.length = 100}}, -1)")
          .input<Tensor>("tensor")
          .constant<std::int32_t>("axis", axis_option())
          .parameter<std::int64_t>("length",
                                   {.value = 0,
                                    .low = 0,
                                    .high = Shape::kMaxElements,
                                    .help = "of the result at least; a longer tensor is not cut"})
          .parameter<std::int64_t>("align", {.value = 1,
                                             .low = 1,
                                             .high = Shape::kMaxElements,
                                             .help = "of which the result's length is a multiple"})
          .parameter<double>("fill", {.value = 0, .help = "the number behind the elements"})
          .output<Tensor>("tensor")
          .infers(same_kind)
          .runs([](const Tensor& in, std::int32_t axis, std::int64_t length, std::int64_t align,
                   double fill, Tensor& out) {
            kernels::pad_tensor(in, {axis, length, align, fill}, out);
          });
  return op;
}

Value<Tensor> pad_tensor(Value<Tensor> tensor, const std::vector<TensorPadding>& paddings,
                         Param<double> fill) {
  if (paddings.empty()) throw BuildError("pad_tensor: there are no paddings; give at least one");
  return std::accumulate(paddings.begin(), paddings.end(), tensor,
                         [&](const Value<Tensor>& in, const TensorPadding& padding) {
                           return apply_operator<Tensor>(detail::pad_tensor_operator(), in,
                                                         padding.axis, padding.length,
                                                         padding.align, fill);
                         });
}

}  // namespace sluice
