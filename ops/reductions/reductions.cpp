#include <sluice/graph/builder/apply_operator.h>
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/reductions/levels_input.h>
#include <sluice/ops/reductions/reductions.h>
#include <sluice/runtime/error.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace sluice {
namespace detail {
namespace {

using kernels::Reduction;

OperatorPtr make_reduction(Reduction what, const char* summary) {
  const std::string name = kernels::name_of(what);
  return declare_operator(name)
      .family("reductions")
      .summary(summary)
      .in_cpp(name + "(image)")
      .input<Levels>("data")
      .output<float>("number")
      .infers([name](const Arguments&, const std::vector<TensorSpec>& in) {
        const auto& dtype = in[0].dtype;
        if (dtype && *dtype != DType::u8) {
          throw BuildError(
              fmt::format("'{}' takes elements that are u8, not {}; ask it before they are made",
                          name, sluice::name_of(*dtype)));
        }
        return std::vector<TensorSpec>(1);
      })
      .runs([what](const Levels& in) { return kernels::reduce(what, in.tensor); });
}

}  // namespace

const OperatorPtr& reduction_operator(Reduction what) {
  static const std::array<OperatorPtr, 4> all{
      make_reduction(Reduction::mean, "The mean of all levels."),
      make_reduction(Reduction::min, "The lowest of all levels."),
      make_reduction(Reduction::max, "The highest of all levels."),
      make_reduction(Reduction::standard_deviation,
                     "How far all levels lie from their mean: the root of the mean square.")};
  return all.at(static_cast<std::size_t>(what));
}

}  // namespace detail

namespace {

template <class T>
Value<float> apply(kernels::Reduction what, const Value<T>& value) {
  return apply_operator<float>(detail::reduction_operator(what), value);
}

}  // namespace

using kernels::Reduction;

Value<float> mean(Value<Image> image) { return apply(Reduction::mean, image); }
Value<float> mean(Value<Tensor> tensor) { return apply(Reduction::mean, tensor); }
Value<float> min(Value<Image> image) { return apply(Reduction::min, image); }
Value<float> min(Value<Tensor> tensor) { return apply(Reduction::min, tensor); }
Value<float> max(Value<Image> image) { return apply(Reduction::max, image); }
Value<float> max(Value<Tensor> tensor) { return apply(Reduction::max, tensor); }
Value<float> standard_deviation(Value<Image> image) {
  return apply(Reduction::standard_deviation, image);
}
Value<float> standard_deviation(Value<Tensor> tensor) {
  return apply(Reduction::standard_deviation, tensor);
}

}  // namespace sluice
