#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/reductions.h>
#include <sluice/ops/reductions/levels_input.h>
#include <sluice/ops/reductions/result_types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice::detail {
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
      .runs([what](const Levels& in) { return kernels::reduce<float>(what, in.tensor); });
}

OperatorPtr make_test(const char* name, const char* summary, bool (*test)(const Tensor&)) {
  return declare_operator(name)
      .family("reductions")
      .summary(summary)
      .in_cpp(std::string(name) + "(image)")
      .input<Levels>("data")
      .output<bool>("is_so")
      .runs([test](const Levels& in) { return test(in.tensor); });
}

constexpr std::array kAll{Reduction::mean, Reduction::min, Reduction::max,
                          Reduction::standard_deviation};

Reduction reduction_of(const Argument& argument) {
  for (const Reduction what : kAll) {
    if (*constant_of<std::string>(argument) == kernels::name_of(what)) return what;
  }
  return Reduction::mean;
}

OperatorPtr make_reduce() {
  Parameter operation;
  operation.name = "operation";
  operation.type = ParameterType::choice;
  operation.per_sample = false;
  operation.help = "which number";
  for (const Reduction what : kAll)
    operation.choices.push_back({kernels::name_of(what), static_cast<std::int64_t>(what)});
  OperatorSchema schema = result_schema(
      "reduce", "Reduces all elements to one number of the type `to`.",
      {"max<std::int64_t>(image)", "mean<double>(image)"},
      "the type of the number; i64 is for the lowest and highest whole number", DType::f32);
  schema.parameters.insert(schema.parameters.begin(), std::move(operation));
  OperatorFunctions functions = result_functions(2);
  functions.infer = [](const Arguments& arguments, const std::vector<TensorSpec>& in) {
    if (const auto& elements = in.at(0).dtype) {
      visit_result(arguments.at(2), [&]<class To>(std::type_identity<To>) {
        as_build_error([&] {
          kernels::check_reduction(reduction_of(arguments.at(1)), *elements, dtype_of<To>::value);
        });
      });
    }
    return std::vector<TensorSpec>(1);
  };
  functions.bind = [](const OperatorSchema&, const Call& call) {
    return bound_to_result(call, call.arguments.at(2),
                           [what = reduction_of(call.arguments[1])]<class To>(
                               std::type_identity<To>, const Tensor& data) {
                             return kernels::reduce<To>(what, data);
                           });
  };
  return std::make_shared<const Operator>(std::move(schema), std::move(functions));
}

}  // namespace

const OperatorPtr& reduction_operator(Reduction what) {
  static const std::array<OperatorPtr, 4> all{
      make_reduction(Reduction::mean, "The mean of all elements."),
      make_reduction(Reduction::min, "The lowest of all elements."),
      make_reduction(Reduction::max, "The highest of all elements."),
      make_reduction(Reduction::standard_deviation,
                     "How far all elements lie from their mean: the root of the mean square.")};
  return all.at(static_cast<std::size_t>(what));
}

const OperatorPtr& reduce_operator() {
  static const OperatorPtr op = make_reduce();
  return op;
}
const OperatorPtr& any_operator() {
  static const OperatorPtr op = make_test("any", "True if an element is not zero.", kernels::any);
  return op;
}
const OperatorPtr& all_operator() {
  static const OperatorPtr op = make_test("all", "True if no element is zero.", kernels::all);
  return op;
}

template <reduced_type To, reducible T>
Value<To> reduced(Reduction what, const Value<T>& data) {
  if constexpr (std::is_same_v<To, float>) {
    return apply_operator<float>(reduction_operator(what), data);
  } else {
    return apply_operator<To>(reduce_operator(), data, std::string(kernels::name_of(what)),
                              std::string(known_number_name<To>()));
  }
}

template Value<std::int64_t> reduced<std::int64_t>(Reduction, const Value<Image>&);
template Value<float> reduced<float>(Reduction, const Value<Image>&);
template Value<double> reduced<double>(Reduction, const Value<Image>&);
template Value<std::int64_t> reduced<std::int64_t>(Reduction, const Value<Tensor>&);
template Value<float> reduced<float>(Reduction, const Value<Tensor>&);
template Value<double> reduced<double>(Reduction, const Value<Tensor>&);

}  // namespace sluice::detail

namespace sluice {

Value<bool> any(Value<Image> image) { return apply_operator<bool>(detail::any_operator(), image); }
Value<bool> any(Value<Tensor> tensor) {
  return apply_operator<bool>(detail::any_operator(), tensor);
}
Value<bool> all(Value<Image> image) { return apply_operator<bool>(detail::all_operator(), image); }
Value<bool> all(Value<Tensor> tensor) {
  return apply_operator<bool>(detail::all_operator(), tensor);
}

}  // namespace sluice
