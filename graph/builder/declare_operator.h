// Declares an operator from a C++ function, records steps that call it, and adds versions for
// devices.
#pragma once

#include <sluice/graph/builder/argument.h>
#include <sluice/graph/builder/operator_function.h>
#include <sluice/runtime/function.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

// apply_operator<R>: records a step of an operator; the C++ functions of operators call it. The
// arguments are passed to the operator in order. R is the type of its output, a std::tuple for
// several, or void.
//
//   Value<Image> gamma(Value<Image> image, Param<float> exponent) {
//     return apply_operator<Image>(gamma_operator(), image, exponent);
//   }
//
// Threads: describe a pipeline on one thread. Errors: BuildError, at the line of the call.

namespace detail {

// Throws BuildError unless the slots have these types.
void require_outputs(const PlanBuilder& builder, const Operator& op,
                     const std::vector<SlotId>& slots, const std::vector<const SlotType*>& types);

template <class R>
struct Applied {
  static Value<R> of(PlanBuilder& builder, const Operator& op, const std::vector<SlotId>& slots) {
    require_outputs(builder, op, slots, {slot_type<R>()});
    return {builder, slots[0]};
  }
};
template <>
struct Applied<void> {
  static void of(PlanBuilder& builder, const Operator& op, const std::vector<SlotId>& slots) {
    require_outputs(builder, op, slots, {});
  }
};
template <class... Rs>
struct Applied<std::tuple<Rs...>> {
  static std::tuple<Value<Rs>...> of(PlanBuilder& builder, const Operator& op,
                                     const std::vector<SlotId>& slots) {
    require_outputs(builder, op, slots, {slot_type<Rs>()...});
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<Value<Rs>...>{Value<Rs>(builder, slots[I])...};
    }
    (std::index_sequence_for<Rs...>());
  }
};

// The parameter for argument number i; an empty one for inputs.
const Parameter& parameter_at(const Operator& op, std::size_t i);
void add_argument(Arguments& arguments, Argument&& argument);

template <class A>
struct AsArgument {
  static Argument of(const A& constant, const ArgumentContext&, const Parameter& parameter) {
    static_assert(ConstantTraits<A>::exists || is_known_number<A>,
                  "apply_operator: an argument is a Value, a Param, or a constant that a plan can "
                  "hold: a number, bool, enumerator, std::string, Rectangle or array of floats");
    if constexpr (is_known_number<A>) {
      return Constant(constant);
    } else {
      return ConstantTraits<A>::to(constant, parameter);
    }
  }
};
template <class T>
struct AsArgument<Value<T>> {
  static Argument of(const Value<T>& value, const ArgumentContext& context, const Parameter&) {
    (void)normal(context, value);
    return SlotArgument{value.slot(), slot_type<T>()};
  }
};
template <class T>
struct AsArgument<Param<T>> {
  static Argument of(const Param<T>& param, const ArgumentContext& context,
                     const Parameter& parameter) {
    if (param.is_constant()) return AsArgument<T>::of(param.constant(), context, parameter);
    return AsArgument<decltype(param.value())>::of(param.value(), context, parameter);
  }
};

// Converts a count or an index of any integer type or enumeration, for a parameter that takes any
// integer.
template <class A>
Argument whole_argument(const A& number, const ArgumentContext& context) {
  if constexpr (requires { typename A::value_type; }) {
    if constexpr (requires { number.is_constant(); }) {
      if (number.is_constant()) return Constant(to_count(number.constant()));
      return whole_argument(number.value(), context);
    } else {
      return AsArgument<A>::of(number, context, Parameter());
    }
  } else {
    return Constant(to_count(number));
  }
}

template <class A>
PlanBuilder* builder_of(const A&) {
  return nullptr;
}
template <class T>
PlanBuilder* builder_of(const Value<T>& value) {
  return value.valid() ? &value.builder() : nullptr;
}
template <class T>
PlanBuilder* builder_of(const Param<T>& param) {
  return param.is_constant() ? nullptr : builder_of(param.value());
}

// The same as apply_operator below, but the step is called `name`.
template <class R, class... Args>
auto apply_as(PlanBuilder& builder, std::string_view name, const OperatorPtr& op,
              const Args&... args) {
  const ArgumentContext context{builder, is_given(name)};
  Arguments arguments;
  std::size_t i = 0;
  (add_argument(arguments, AsArgument<Args>::of(args, context, parameter_at(*op, i++))), ...);
  return Applied<R>::of(builder, *op, builder.add(op, std::move(arguments), name));
}
template <class R, class... Args>
auto apply_operator(PlanBuilder& builder, const OperatorPtr& op, const Args&... args) {
  return apply_as<R>(builder, op->name(), op, args...);
}
// Returns the builder of the first Value; throws BuildError if that is default-constructed.
template <class... Args>
PlanBuilder& require_builder(std::string_view name, const Args&... args) {
  PlanBuilder* builder = nullptr;
  ((builder = builder != nullptr ? builder : builder_of(args)), ...);
  if (builder == nullptr) throw_empty(is_given(name));
  return *builder;
}

}  // namespace detail

template <class R, class... Args>
auto apply_operator(const detail::OperatorPtr& op, const Args&... args) {
  return detail::apply_as<R>(detail::require_builder(op->name(), args...), op->name(), op, args...);
}

// declare_operator: declares an operator by its schema and the function that processes one sample.
//
// clang-format off
//   const auto gamma = declare_operator("gamma")
//       .family("color")
//       .summary("Raises each pixel value to the power of gamma.")
//       .input<Image>("image")
//       .parameter<float>("gamma", {.low = 0, .low_open = true, .help = "1 changes nothing"})
//       .output<Image>("image")
//       .runs([](const Image& in, float exponent, Image& out) { ... });
// clang-format on
//
// The function's parameters follow the schema, in order: inputs and parameters as const references
// or by value, then each output as a reference to write to. Alternatively it returns its output, or
// a std::tuple of outputs. Before these it may take a Random& and a SampleNotes&. Constants and
// values are checked against the schema before the call.
//
// Errors: BuildError for an invalid schema or function. An exception from the function is the
// sample's error. Threads: declare on one thread. The function runs on several at once, and must
// not change shared state.

// An operator, immutable and shared.
using OperatorPtr = detail::OperatorPtr;

// Options of a parameter of type T.
template <class T>
struct ParameterOptions {
  std::optional<T> value = {};  // the default; none: the parameter is required
  bool optional = false;        // the default means "not given", and need not be valid
  // The bounds of a number, or of each of several. Numbers are always finite.
  double low = -detail::Parameter::kMost;
  double high = detail::Parameter::kMost;
  bool low_open = false;  // the bound itself is not valid
  bool high_open = false;
  std::string help = {};  // one line
  std::string hint = {};  // what to do instead, shown when a number is refused
  // One number for each channel of the first input, an image. Different numbers fail a sample whose
  // image has one channel.
  bool per_channel = false;
};

class OperatorDeclaration {
 public:
  // Non-template members are defined out of line, so that not every operator's file compiles them.
  explicit OperatorDeclaration(std::string name);
  OperatorDeclaration(const OperatorDeclaration&);
  OperatorDeclaration(OperatorDeclaration&&) noexcept;
  OperatorDeclaration& operator=(const OperatorDeclaration&) = delete;
  ~OperatorDeclaration();

  OperatorDeclaration& version(int version);
  OperatorDeclaration& family(std::string family);
  OperatorDeclaration& summary(std::string summary);

  // A C++ expression that uses the operator, as `sluice operators` shows it. May be called
  // repeatedly.
  OperatorDeclaration& in_cpp(std::string expression);

  // Adds an input: a value of each sample.
  template <class T>
  OperatorDeclaration& input(const std::string& name) {
    return add_input(name, detail::InputTraits<T>::types());
  }
  // Adds a parameter: a constant, or a value of each sample. For several numbers that value is a
  // Tensor.
  template <class T>
  OperatorDeclaration& parameter(std::string name, const ParameterOptions<T>& options = {}) {
    return add(std::move(name), options, true);
  }
  // Adds a parameter that must be a constant.
  template <class T>
  OperatorDeclaration& constant(std::string name, const ParameterOptions<T>& options = {}) {
    return add(std::move(name), options, false);
  }
  // Adds a constant parameter that is one of the enumerators, each of which has a name_of().
  template <class E>
  OperatorDeclaration& choice(std::string name, E otherwise, const std::vector<E>& choices,
                              std::string help) {
    detail::Parameter parameter;
    parameter.name = std::move(name);
    parameter.type = detail::ParameterType::choice;
    parameter.per_sample = false;
    parameter.help = std::move(help);
    for (const E choice : choices)
      parameter.choices.push_back({name_of(choice), static_cast<std::int64_t>(choice)});
    parameter.default_value = detail::ConstantTraits<E>::to(otherwise, parameter);
    return add_parameter(std::move(parameter));
  }
  template <class T>
  OperatorDeclaration& output(const std::string& name) {
    return add_output(name, detail::slot_type<T>());
  }

  // The operator has a side effect, so it runs even if its outputs are not used.
  OperatorDeclaration& effect();
  // The names of the events that SampleNotes::note() counts.
  OperatorDeclaration& events(std::vector<std::string> names);
  // Adds a check of constants that involves several parameters. It throws BuildError.
  OperatorDeclaration& checks(Function<void(const detail::Arguments&)> check);
  // Adds a check that depends on the steps that make the values. It throws BuildError.
  OperatorDeclaration& checks_makers(
      Function<void(const detail::Arguments&, std::span<const detail::Block* const>)> check);
  // Infers the specs of the output tensors: type, layout, number of dimensions.
  OperatorDeclaration& infers(
      Function<std::vector<TensorSpec>(const detail::Arguments&, const std::vector<TensorSpec>&)>
          infer);
  // Only the size of its first input, an image, is used.
  OperatorDeclaration& sees_size();
  // Only one rectangle of its first input, an image, is used. The result is the same if that
  // rectangle is passed as an image of its own. With `is_copy` the result is a copy of the
  // rectangle. f takes the same arguments as the operator's function, without outputs; of the image
  // it may use only the size. If `all` returns true for the arguments, the whole image is needed.
  template <class F>
  OperatorDeclaration& sees_rectangle(F f, bool is_copy = false,
                                      Function<bool(const detail::Arguments&)> all = {}) {
    make_input_region_ = [f = std::move(f), is_copy,
                          all = std::move(all)](detail::OperatorSchema schema)
        -> Function<detail::InputRegion(const detail::Arguments&)> {
      schema.name += ".rectangle";
      schema.outputs = {{"rectangle", detail::slot_type<Rectangle>()}};
      schema.events.clear();
      detail::InputRegion input_region;
      input_region.of = detail::InputRegion::Of::rectangle;
      input_region.is_copy = is_copy;
      input_region.rectangle = detail::make_operator(std::move(schema), {}, f);
      return [input_region, all](const detail::Arguments& arguments) {
        return all && all(arguments) ? detail::InputRegion() : input_region;
      };
    };
    return *this;
  }
  // The operator is a decoder. `decoding` holds its versions that decode less than the whole image.
  OperatorDeclaration& decodes(detail::PartialDecoding decoding);
  // The operator is a decoder that can produce its image row by row.
  OperatorDeclaration& decodes_rows(detail::RowDecoding decoding);
  // The operator can defer its work to the next operator, and do the deferred work of the previous
  // one: see LazyForm. `make` is called with the complete schema.
  OperatorDeclaration& defers(Function<detail::LazyForm(const detail::OperatorSchema&)> make);
  // The operator can be combined with its neighbors into one map: see ComposeRule. `make` is called
  // with the complete schema.
  OperatorDeclaration& composes(Function<detail::ComposeRule(const detail::OperatorSchema&)> make);
  const std::string& name() const { return schema_.name; }

  template <class F>
  detail::OperatorPtr runs(F f) {
    complete();
    return detail::make_operator(std::move(schema_), std::move(functions_), std::move(f));
  }
  // Use it in place of runs() for a C++ function that is not an operator but records these
  // operators.
  detail::OperatorSchema made_of(std::vector<std::string> operators);

 private:
  template <class T>
  OperatorDeclaration& add(std::string name, const ParameterOptions<T>& options, bool per_sample) {
    using Traits = detail::ConstantTraits<T>;
    static_assert(Traits::exists && !std::is_enum_v<T>,
                  "a parameter is a bool, std::int32_t, std::int64_t, float, double, std::string, "
                  "Rectangle or std::array<float, N>; enumerations are choices, and values of "
                  "other types are inputs");
    detail::Parameter parameter;
    parameter.name = std::move(name);
    parameter.type = Traits::type;
    parameter.per_sample = per_sample;
    parameter.per_channel = options.per_channel;
    parameter.optional = options.optional;
    parameter.low = options.low;
    parameter.high = options.high;
    parameter.low_open = options.low_open;
    parameter.high_open = options.high_open;
    parameter.help = options.help;
    parameter.hint = options.hint;
    if constexpr (requires { Traits::count; }) parameter.count = Traits::count;
    if (options.value) parameter.default_value = Traits::to(*options.value, parameter);
    return add_parameter(std::move(parameter));
  }

  OperatorDeclaration& add_input(std::string name, std::vector<const detail::SlotType*> types);
  OperatorDeclaration& add_output(std::string name, const detail::SlotType* type);
  OperatorDeclaration& add_parameter(detail::Parameter&& parameter);
  // Fills in the parts that need the whole schema.
  void complete();

  detail::OperatorSchema schema_;
  detail::OperatorFunctions functions_;
  Function<Function<detail::InputRegion(const detail::Arguments&)>(detail::OperatorSchema)>
      make_input_region_;
  Function<detail::LazyForm(const detail::OperatorSchema&)> make_lazy_form_;
  Function<detail::ComposeRule(const detail::OperatorSchema&)> make_compose_rule_;
};

inline OperatorDeclaration declare_operator(std::string name) {
  return OperatorDeclaration(std::move(name));
}

}  // namespace sluice

namespace sluice::detail {

// Device versions of operators. A device version has the schema of its operator, and a function
// that also takes a DeviceBatch& (the GPU batch). If an operator has one and its inputs are on a
// device, the step runs the device version.
//
//   add_device_version(flip_operator(), [](DeviceBatch& batch, const Image& in, bool horizontal,
//                                          bool vertical, Image& out) {
//     out.create(in.height(), in.width(), in.channels());  // the device's memory
//     batch.launch_of_step<PixelsLaunch>().add(...);
//   });
//
// Work that the host must do for each sample first, such as reading a header, is a separate
// function. It runs in the sample's own task, before the GPU batch. Its result is passed to the
// device function after the inputs.
//
//   add_device_version(
//       decode_operator(), [](DeviceMemory&, const File& file, Prepared& out) { ... },
//       [](DeviceBatch&, const File& file, const Prepared& prepared, Image& out) { ... });
//
// Ownership: the operator keeps its device version. Threads: any. Errors: BuildError if the
// operator already has a device version, or if a function does not fit.

template <class F>
void add_device_version(const OperatorPtr& op, F f) {
  op->set_device_version(make_operator(op->schema(), {}, std::move(f)));
}

template <class Prepare, class F>
void add_device_version(const OperatorPtr& op, Prepare prepare, F f) {
  const SlotType* const prepared = outputs_of(TypesOfFunction<Prepare>::all()).at(0);
  OperatorSchema before = op->schema(), then = op->schema();
  before.outputs = {{"prepared", prepared}};
  then.inputs.push_back({"prepared", {prepared}});
  OperatorFunctions functions;
  functions.preparation = make_operator(std::move(before), {}, std::move(prepare));
  op->set_device_version(make_operator(std::move(then), std::move(functions), std::move(f)));
}

}  // namespace sluice::detail
