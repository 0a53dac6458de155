#include <sluice/graph/builder/apply_operator.h>
#include <sluice/graph/plan/number_types.h>
#include <sluice/graph/plan/sample.h>
#include <sluice/ops/kernels/sum.h>
#include <sluice/ops/reductions/levels_input.h>
#include <sluice/ops/reductions/sum.h>
#include <sluice/runtime/error.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace sluice::detail {
namespace {

// Calls visit(std::type_identity<To>()) with the type that the argument names.
template <class Visit>
void visit_result(const Argument& to, const Visit& visit) {
  const std::string& name = *constant_of<std::string>(to);
  if (name == known_number_name<std::int64_t>()) return visit(std::type_identity<std::int64_t>());
  if (name == known_number_name<float>()) return visit(std::type_identity<float>());
  visit(std::type_identity<double>());
}

OperatorSchema schema() {
  OperatorSchema made;
  made.name = "sum";
  made.family = "reductions";
  made.summary = "The sum of all levels, or of all elements.";
  made.cpp = {"sum(image)", "sum<float>(crop_mirror_normalize(image))"};
  made.inputs = {{"data", InputTraits<Levels>::types()}};
  Parameter to;
  to.name = "to";
  to.type = ParameterType::choice;
  to.per_sample = false;
  to.help = "the type of the sum; that of fractions is f32 or f64";
  for (const DType type : {DType::i64, DType::f32, DType::f64})
    to.choices.push_back({name_of(type), static_cast<std::int64_t>(type)});
  to.default_value = Constant(std::string(name_of(DType::i64)));
  made.parameters = {std::move(to)};
  made.outputs = {{"number", nullptr}};
  return made;
}

OperatorFunctions functions() {
  OperatorFunctions made;
  made.output_types = [](const Arguments& arguments) {
    std::vector<const SlotType*> types;
    visit_result(arguments.at(1),
                 [&]<class To>(std::type_identity<To>) { types = {slot_type<To>()}; });
    return types;
  };
  made.infer = [](const Arguments& arguments, const std::vector<TensorSpec>& in) {
    if (const auto& elements = in.at(0).dtype) {
      try {
        visit_result(arguments.at(1), [&]<class To>(std::type_identity<To>) {
          kernels::check_sum(*elements, dtype_of<To>::value);
        });
      } catch (const std::invalid_argument& error) {
        throw BuildError(error.what());
      }
    }
    return std::vector<TensorSpec>(1);
  };
  made.bind = [](const OperatorSchema&, const Call& call) {
    std::function<void(Sample&)> run;
    visit_result(call.arguments.at(1), [&]<class To>(std::type_identity<To>) {
      run = [data = std::get<SlotArgument>(call.arguments[0]),
             out = call.outputs[0]](Sample& sample) {
        sample.get<To>(out) = kernels::sum<To>(InputTraits<Levels>::of(sample, data).tensor);
      };
    });
    return run;
  };
  return made;
}

template <class To, class T>
Value<To> applied(const Value<T>& data) {
  return apply_operator<To>(sum_operator(), data, std::string(known_number_name<To>()));
}

}  // namespace

const OperatorPtr& sum_operator() {
  static const OperatorPtr op = std::make_shared<const Operator>(schema(), functions());
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
