#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/composition.h>
#include <sluice/ops/kernels/blend.h>

namespace sluice {

namespace detail {

const OperatorPtr& blend_operator() {
  static const OperatorPtr op =
      declare_operator("blend")
          .family("composition")
          .summary("Two pictures laid over each other.")
          .in_cpp("blend(image, flip(image), 0.5f)")
          .input<Image>("a")
          .input<Image>("b")
          .parameter<float>("weight",
                            {.value = 0.5f, .low = 0, .high = 1, .help = "of b; a has the rest"})
          .output<Image>("image")
          .runs([](const Image& a, const Image& b, float weight, Image& out) {
            kernels::blend(a, b, weight, out);
          });
  return op;
}

const OperatorPtr& weighted_sum_operator() {
  static const OperatorPtr op =
      declare_operator("weighted_sum")
          .family("composition")
          .summary("Each level is the sum of those of several pictures, each times its weight.")
          .in_cpp("weighted_sum(images, weights)")
          .input<std::vector<Image>>("images")
          .input<std::vector<float>>("weights")
          .output<Image>("image")
          .runs([](const std::vector<Image>& images, const std::vector<float>& weights,
                   Image& out) { kernels::weighted_sum(images, weights, out); });
  return op;
}

}  // namespace detail

Value<Image> blend(Value<Image> a, Value<Image> b, Param<float> weight) {
  return apply_operator<Image>(detail::blend_operator(), a, b, weight);
}

Value<Image> weighted_sum(Value<std::vector<Image>> images, Value<std::vector<float>> weights) {
  return apply_operator<Image>(detail::weighted_sum_operator(), images, weights);
}

}  // namespace sluice
