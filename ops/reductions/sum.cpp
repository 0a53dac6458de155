#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/kernels/sum.h>
#include <sluice/ops/reductions.h>
#include <sluice/ops/reductions/result_types.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice::detail {
namespace {

OperatorFunctions functions() {
  OperatorFunctions made = result_functions(1);
  made.infer = [](const Arguments& arguments, const std::vector<TensorSpec>& in) {
    if (const auto& elements = in.at(0).dtype) {
      visit_result(arguments.at(1), [&]<class To>(std::type_identity<To>) {
        as_build_error([&] { kernels::check_sum(*elements, dtype_of<To>::value); });
      });
    }
    return std::vector<TensorSpec>(1);
  };
  made.bind = [](const OperatorSchema&, const Call& call) {
    return bound_to_result(call, call.arguments.at(1),
                           []<class To>(std::type_identity<To>, const Tensor& data) {
                             return kernels::sum<To>(data);
                           });
  };
  return made;
}

template <class To, class T>
Value<To> applied(const Value<T>& data) {
  return apply_operator<To>(sum_operator(), data, std::string(known_number_name<To>()));
}

}  // namespace

const OperatorPtr& sum_operator() {
  static const OperatorPtr op = std::make_shared<const Operator>(
      result_schema("sum", "The sum of all levels, or of all elements.",
                    {"sum(image)", "sum<float>(crop_mirror_normalize(image))"},
                    "the type of the sum; that of fractions is f32 or f64", DType::i64),
      functions());
  return op;
}

template <sum_type To>
Value<To> sum_of(const Value<Image>& image) {
  return applied<To>(image);
}
template <sum_type To>
Value<To> sum_of(const Value<Tensor>& tensor) {
  return applied<To>(tensor);
}

template Value<std::int64_t> sum_of<std::int64_t>(const Value<Image>&);
template Value<float> sum_of<float>(const Value<Image>&);
template Value<double> sum_of<double>(const Value<Image>&);
template Value<std::int64_t> sum_of<std::int64_t>(const Value<Tensor>&);
template Value<float> sum_of<float>(const Value<Tensor>&);
template Value<double> sum_of<double>(const Value<Tensor>&);

}  // namespace sluice::detail
