#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/kernels/one_hot.h>
#include <sluice/ops/tensors.h>

#include <vector>

namespace sluice {

const detail::OperatorPtr& detail::one_hot_operator() {
  static const OperatorPtr op =
      declare_operator("one_hot")
          .family("labels")
          .summary("The number of a class as a vector of probabilities.")
          .in_cpp("one_hot(label, {.classes = 1000, .smoothing = 0.1f})")
          .input<std::int64_t>("label")
          .constant<std::int32_t>(
              "classes",
              {.low = 1, .high = kernels::kMostClasses, .help = "labels are 0 to classes - 1"})
          .constant<float>("smoothing", {.value = 0.f,
                                         .low = 0,
                                         .high = 1,
                                         .help = "so much is shared out among all classes"})
          .output<Tensor>("probabilities")
          .infers([](const Arguments&, const std::vector<TensorSpec>&) {
            return std::vector<TensorSpec>{
                {.dtype = DType::f32, .layout = Layout::none, .rank = 1}};
          })
          .runs([](std::int64_t label, std::int32_t classes, float smoothing, Tensor& out) {
            kernels::one_hot(label, classes, smoothing, out);
          });
  return op;
}

Value<Tensor> one_hot(Value<std::int64_t> label, const OneHotOptions& options) {
  return apply_operator<Tensor>(detail::one_hot_operator(), label, options.classes,
                                options.smoothing);
}

}  // namespace sluice
