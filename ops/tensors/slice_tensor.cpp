#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/kernels/slice_tensor.h>
#include <sluice/ops/tensors.h>
#include <sluice/ops/tensors/same_kind.h>
#include <sluice/runtime/error.h>

#include <numeric>

namespace sluice {

const OperatorPtr& detail::slice_tensor_operator() {
  static const OperatorPtr op =
      declare_operator("slice_tensor")
          .family("tensors")
          .summary("A part of a tensor, cut out along a dimension.")
          .in_cpp("slice_tensor(crop_mirror_normalize(image), {{.axis = 1, .start = x}})")
          .input<Tensor>("tensor")
          .constant<std::int32_t>("axis", axis_option())
          .parameter<std::int64_t>(
              "start",
              {.value = 0, .low = 0, .high = Shape::kMaxElements, .help = "the first element"})
          .parameter<std::int64_t>("length", {.value = -1,
                                              .low = -1,
                                              .high = Shape::kMaxElements,
                                              .help = "how many elements; -1: all that are left"})
          .output<Tensor>("tensor")
          .infers(same_kind)
          .runs([](const Tensor& in, std::int32_t axis, std::int64_t start, std::int64_t length,
                   Tensor& out) { kernels::slice_tensor(in, axis, start, length, out); });
  return op;
}

Value<Tensor> slice_tensor(Value<Tensor> tensor, const std::vector<TensorRange>& ranges) {
  if (ranges.empty()) throw BuildError("slice_tensor: there are no ranges; give at least one");
  return std::accumulate(ranges.begin(), ranges.end(), tensor,
                         [](const Value<Tensor>& in, const TensorRange& range) {
                           return apply_operator<Tensor>(detail::slice_tensor_operator(), in,
                                                         range.axis, range.start, range.length);
                         });
}

}  // namespace sluice
