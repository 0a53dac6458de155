#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/plan/number_types.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/ops/kernels/reduce.h>
#include <sluice/ops/parameters.h>
#include <sluice/ops/reductions.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace sluice {
namespace detail {
namespace {

// The operators reduce and sum make a number of a chosen type, i64, f32 or f64: the type is their
// last parameter `to`.

// Calls visit(std::type_identity<To>()) with the type that the argument names.
template <class Visit>
void visit_result(const Argument& to, const Visit& visit) {
  const std::string& name = *constant_of<std::string>(to);
  if (name == known_number_name<std::int64_t>()) return visit(std::type_identity<std::int64_t>());
  if (name == known_number_name<float>()) return visit(std::type_identity<float>());
  visit(std::type_identity<double>());
}

OperatorSchema result_schema(std::string name, std::string summary, std::vector<std::string> cpp,
                             std::string help, DType otherwise) {
  OperatorSchema made;
  made.name = std::move(name);
  made.family = "reductions";
  made.summary = std::move(summary);
  made.cpp = std::move(cpp);
  made.inputs = {{"data", InputTraits<Levels>::types()}};
  Parameter to;
  to.name = "to";
  to.type = ParameterType::choice;
  to.per_sample = false;
  to.help = std::move(help);
  for (const DType type : {DType::i64, DType::f32, DType::f64})
    to.choices.push_back({name_of(type), static_cast<std::int64_t>(type)});
  to.default_value = Constant(std::string(name_of(otherwise)));
  made.parameters = {std::move(to)};
  made.outputs = {{"number", nullptr}};
  return made;
}

// Argument number `to` selects the type of the output.
OperatorFunctions result_functions(std::size_t to) {
  OperatorFunctions made;
  made.output_types = [to](const Arguments& arguments) {
    std::vector<const SlotType*> types;
    visit_result(arguments.at(to),
                 [&]<class To>(std::type_identity<To>) { types = {slot_type<To>()}; });
    return types;
  };
  return made;
}

// Returns the step that writes reduce(std::type_identity<To>(), tensor) of the first argument to
// the output.
template <class F>
StepFunction bound_to_result(const Call& call, const Argument& to, const F& reduce) {
  StepFunction run;
  visit_result(to, [&]<class To>(std::type_identity<To>) {
    run = [reduce, data = std::get<SlotArgument>(call.arguments[0]),
           out = call.outputs[0]](Sample& sample) {
      sample.get<To>(out) =
          reduce(std::type_identity<To>(), InputTraits<Levels>::of(sample, data).tensor);
    };
  });
  return run;
}

// Runs a sample check while the pipeline is described: its error becomes a BuildError.
template <class F>
void as_build_error(const F& check) {
  try {
    check();
  } catch (const std::invalid_argument& error) {
    throw BuildError(error.what());
  }
}

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
  operation.help = "the reduction";
  for (const Reduction what : kAll)
    operation.choices.push_back({kernels::name_of(what), static_cast<std::int64_t>(what)});
  OperatorSchema schema =
      result_schema("reduce", "Reduces all elements to one number of the type `to`.",
                    {"max<std::int64_t>(image)", "mean<double>(image)"},
                    "type of the number; i64 is for the min and max of integers", DType::f32);
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
      make_reduction(Reduction::mean, "Returns the mean of all elements."),
      make_reduction(Reduction::min, "Returns the smallest of all elements."),
      make_reduction(Reduction::max, "Returns the largest of all elements."),
      make_reduction(Reduction::standard_deviation,
                     "Returns the population standard deviation of all elements.")};
  return all.at(static_cast<std::size_t>(what));
}

const OperatorPtr& reduce_operator() {
  static const OperatorPtr op = make_reduce();
  return op;
}
const OperatorPtr& any_operator() {
  static const OperatorPtr op =
      make_test("any", "Returns true if an element is not zero.", kernels::any);
  return op;
}
const OperatorPtr& all_operator() {
  static const OperatorPtr op =
      make_test("all", "Returns true if no element is zero.", kernels::all);
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

}  // namespace detail

Value<bool> any(Value<Image> image) { return apply_operator<bool>(detail::any_operator(), image); }
Value<bool> any(Value<Tensor> tensor) {
  return apply_operator<bool>(detail::any_operator(), tensor);
}
Value<bool> all(Value<Image> image) { return apply_operator<bool>(detail::all_operator(), image); }
Value<bool> all(Value<Tensor> tensor) {
  return apply_operator<bool>(detail::all_operator(), tensor);
}

namespace detail {
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
      result_schema("sum", "Returns the sum of all pixel values or elements.",
                    {"sum(image)", "sum<float>(crop_mirror_normalize(image))"},
                    "type of the sum; f32 or f64 for fractions", DType::i64),
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

}  // namespace detail

namespace {

using kernels::AxisReduction;
using AxisNumbers = std::array<float, Shape::kMaxRank>;

template <class Range>
kernels::ReducedAxes reduced_axes(const Range& numbers, std::int32_t count, bool keep) {
  kernels::ReducedAxes axes{.count = count, .keep = keep};
  std::transform(numbers.begin(), numbers.end(), axes.axes.begin(),
                 [](auto axis) { return static_cast<int>(axis); });
  return axes;
}

template <class T>
Value<Tensor> reduced_along(const Value<T>& data, AxisReduction what, const std::vector<int>& axes,
                            bool keep_dims) {
  AxisNumbers numbers{};
  if (axes.empty() || axes.size() > numbers.size()) {
    throw BuildError(std::string(name_of(what)) + ": there are " + std::to_string(axes.size()) +
                     " axes; 1 to " + std::to_string(numbers.size()) + " are possible");
  }
  std::transform(axes.begin(), axes.end(), numbers.begin(),
                 [](int axis) { return static_cast<float>(axis); });
  return apply_operator<Tensor>(detail::reduce_axes_operator(), data, what,
                                static_cast<std::int32_t>(axes.size()), numbers, keep_dims);
}

}  // namespace

namespace detail {

static constexpr std::array kAllAlongAxes{
    AxisReduction::mean, AxisReduction::min, AxisReduction::max, AxisReduction::standard_deviation,
    AxisReduction::sum,  AxisReduction::any, AxisReduction::all};

static AxisReduction axis_reduction_of(const Arguments& arguments) {
  const std::string& name = *constant_of<std::string>(arguments.at(1));
  return *std::find_if(kAllAlongAxes.begin(), kAllAlongAxes.end(),
                       [&](AxisReduction what) { return name == kernels::name_of(what); });
}

static std::vector<TensorSpec> spec_of_reduced(const Arguments& arguments,
                                               const std::vector<TensorSpec>& inputs) {
  const AxisReduction what = axis_reduction_of(arguments);
  const auto count = *constant_of<std::int32_t>(arguments.at(2));
  const bool keep = *constant_of<bool>(arguments.at(4));
  TensorSpec spec;
  if (const auto& type = inputs.at(0).dtype) spec.dtype = kernels::reduced_type(what, *type);
  if (const auto& rank = inputs.at(0).rank) {
    as_build_error([&] {
      const auto& numbers = *constant_of<std::vector<double>>(arguments.at(3));
      kernels::check_reduced_axes(what, reduced_axes(numbers, count, keep), *rank);
    });
    spec.rank = keep ? *rank : *rank - count;
  }
  spec.layout = keep ? inputs.at(0).layout : Layout::none;
  return {spec};
}

const OperatorPtr& reduce_axes_operator() {
  static const OperatorPtr op =
      declare_operator("reduce_axes")
          .family("reductions")
          .summary("Reduces a tensor or image along some dimensions.")
          .in_cpp("reduce_axes(image, kernels::AxisReduction::mean, {0, 1})")
          .input<Levels>("data")
          .choice("operation", AxisReduction::mean,
                  std::vector(kAllAlongAxes.begin(), kAllAlongAxes.end()), "the reduction")
          .constant<std::int32_t>(
              "count", {.low = 1, .high = Shape::kMaxRank, .help = "number of reduced dimensions"})
          .constant<AxisNumbers>("axes",
                                 {.low = -Shape::kMaxRank,
                                  .high = Shape::kMaxRank - 1,
                                  .help = "the first `count` are used; -1 is the last dimension"})
          .constant<bool>("keep_dims",
                          {.value = false, .help = "the reduced dimensions stay, with size 1"})
          .output<Tensor>("tensor")
          .infers(spec_of_reduced)
          .runs([](const Levels& data, AxisReduction what, std::int32_t count,
                   const AxisNumbers& axes, bool keep, Tensor& out) {
            kernels::reduce_axes(what, data.tensor, reduced_axes(axes, count, keep), out);
          });
  return op;
}

}  // namespace detail

Value<Tensor> reduce_axes(Value<Tensor> data, AxisReduction what, const std::vector<int>& axes,
                          bool keep_dims) {
  return reduced_along(data, what, axes, keep_dims);
}
Value<Tensor> reduce_axes(Value<Image> data, AxisReduction what, const std::vector<int>& axes,
                          bool keep_dims) {
  return reduced_along(data, what, axes, keep_dims);
}

}  // namespace sluice
