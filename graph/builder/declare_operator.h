// How an operator is declared from a C++ function, and how its C++ function records a step.
#pragma once

#include <sluice/graph/builder/argument.h>
#include <sluice/graph/builder/operator_function.h>
#include <sluice/runtime/function.h>

#include <array>
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

// apply_operator<R>: what the C++ functions of operators are made of. Their arguments become those
// of the operator, in its order, and the step is recorded; R is the type of its output, a
// std::tuple of several, or void.
//
//   Value<Image> gamma(Value<Image> image, Param<float> exponent) {
//     return apply_operator<Image>(gamma_operator(), image, exponent);
//   }
//
// Threads: describe a pipeline on one thread. Errors: BuildError, at the line that gives the
// arguments.

namespace detail {

// Throws BuildError unless the slots are of these types.
void require_outputs(const Recorder& recorder, const Operator& op, const std::vector<SlotId>& slots,
                     const std::vector<const SlotType*>& types);

template <class R>
struct Applied {
  static Value<R> of(Recorder& recorder, const Operator& op, const std::vector<SlotId>& slots) {
    require_outputs(recorder, op, slots, {slot_type<R>()});
    return {recorder, slots[0]};
  }
};
template <>
struct Applied<void> {
  static void of(Recorder& recorder, const Operator& op, const std::vector<SlotId>& slots) {
    require_outputs(recorder, op, slots, {});
  }
};
template <class... Rs>
struct Applied<std::tuple<Rs...>> {
  static std::tuple<Value<Rs>...> of(Recorder& recorder, const Operator& op,
                                     const std::vector<SlotId>& slots) {
    require_outputs(recorder, op, slots, {slot_type<Rs>()...});
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<Value<Rs>...>{Value<Rs>(recorder, slots[I])...};
    }
    (std::index_sequence_for<Rs...>());
  }
};

// The parameter that argument number i is for; an empty one for inputs.
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

// A count or an index of any whole type or enumeration, for a parameter that takes any whole
// number.
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
Recorder* recorder_of(const A&) {
  return nullptr;
}
template <class T>
Recorder* recorder_of(const Value<T>& value) {
  return value.valid() ? &value.recorder() : nullptr;
}
template <class T>
Recorder* recorder_of(const Param<T>& param) {
  return param.is_constant() ? nullptr : recorder_of(param.value());
}

// As below; the step is called `name`.
template <class R, class... Args>
auto apply_as(Recorder& recorder, std::string_view name, const OperatorPtr& op,
              const Args&... args) {
  const ArgumentContext context{recorder, is_given(name)};
  Arguments arguments;
  std::size_t i = 0;
  (add_argument(arguments, AsArgument<Args>::of(args, context, parameter_at(*op, i++))), ...);
  return Applied<R>::of(recorder, *op, recorder.add(op, std::move(arguments), name));
}
template <class R, class... Args>
auto apply_operator(Recorder& recorder, const OperatorPtr& op, const Args&... args) {
  return apply_as<R>(recorder, op->name(), op, args...);
}
// The recorder of the first Value; throws BuildError for a default-constructed one.
template <class... Args>
Recorder& require_recorder(std::string_view name, const Args&... args) {
  Recorder* recorder = nullptr;
  ((recorder = recorder != nullptr ? recorder : recorder_of(args)), ...);
  if (recorder == nullptr) throw_empty(is_given(name));
  return *recorder;
}

}  // namespace detail

template <class R, class... Args>
auto apply_operator(const detail::OperatorPtr& op, const Args&... args) {
  return detail::apply_as<R>(detail::require_recorder(op->name(), args...), op->name(), op,
                             args...);
}

// declare_operator: an operator is declared once, by its schema and the function that does the work
// for one sample.
//
// clang-format off
//   const auto gamma = declare_operator("gamma")
//       .family("colour")
//       .summary("Each level to the power of gamma.")
//       .input<Image>("image")
//       .parameter<float>("gamma", {.low = 0, .low_open = true, .help = "1 changes nothing"})
//       .output<Image>("image")
//       .runs([](const Image& in, float exponent, Image& out) { ... });
// clang-format on
//
// The function takes what the schema says, in its order: inputs and parameters as const references
// or by value, then each output as a reference to be written in place; or it returns its output, or
// a std::tuple of them. Before all of them it may ask for a Random& and a SampleNotes&. Constants
// and values are checked against the schema before it sees them.
//
// Errors: BuildError for a schema or function that makes no sense. What the function throws is the
// error of the sample. Threads: declare on one; the function runs on several at once, and must not
// change what it shares.

// An operator, immutable and shared.
using OperatorPtr = detail::OperatorPtr;

// Of a parameter whose plain type is T.
template <class T>
struct ParameterOptions {
  std::optional<T> value = {};  // the default; none: it must be given
  bool optional = false;        // the default means "not given", and need not be legal
  // Of a number, or of each of several. Numbers are finite in any case.
  double low = -detail::Parameter::kMost;
  double high = detail::Parameter::kMost;
  bool low_open = false;  // the bound itself is not legal
  bool high_open = false;
  std::string help = {};  // one line
  std::string hint = {};  // what to do instead, said where a number is refused
};

class OperatorDeclaration {
 public:
  // Members that are no templates are out of line, so that not every operator's file compiles them.
  explicit OperatorDeclaration(std::string name);
  OperatorDeclaration(const OperatorDeclaration&);
  OperatorDeclaration(OperatorDeclaration&&) noexcept;
  OperatorDeclaration& operator=(const OperatorDeclaration&) = delete;
  ~OperatorDeclaration();

  OperatorDeclaration& version(int version);
  OperatorDeclaration& family(std::string family);
  OperatorDeclaration& summary(std::string summary);

  // How it is said in C++, as `sluice operators` shows it: an expression. May be said again.
  OperatorDeclaration& in_cpp(std::string expression);

  // A value of each sample.
  template <class T>
  OperatorDeclaration& input(const std::string& name) {
    return add_input(name, detail::InputTraits<T>::types());
  }
  // A constant, or a value of each sample: of several numbers a Tensor that holds them.
  template <class T>
  OperatorDeclaration& parameter(std::string name, const ParameterOptions<T>& options = {}) {
    return add(std::move(name), options, true);
  }
  // The same for all samples.
  template <class T>
  OperatorDeclaration& constant(std::string name, const ParameterOptions<T>& options = {}) {
    return add(std::move(name), options, false);
  }
  // One of the enumerators, each of which has a name_of(); the same for all samples.
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

  // It runs even if nobody reads what it gives.
  OperatorDeclaration& effect();
  // What SampleNotes::note() counts.
  OperatorDeclaration& events(std::vector<std::string> names);
  // Checks of constants that concern several parameters. Throws BuildError.
  OperatorDeclaration& checks(Function<void(const detail::Arguments&)> check);
  // Adds a check that depends on the steps that make the values. It throws BuildError.
  OperatorDeclaration& checks_makers(
      Function<void(const detail::Arguments&, std::span<const detail::Block* const>)> check);
  // What is known of the tensors that it gives: type, layout, number of dimensions.
  OperatorDeclaration& infers(
      Function<std::vector<TensorSpec>(const detail::Arguments&, const std::vector<TensorSpec>&)>
          infer);
  // Of its first input, a picture, it needs the size only.
  OperatorDeclaration& sees_size();
  // Of its first input, a picture, it needs one rectangle only, and gives the same when it is given
  // that as a picture of its own; a copy of it, if `is_copy`. f takes what the operator's function
  // takes, outputs excepted, with a picture that may be asked for its size only. Where `all` says
  // so of the arguments, it needs the whole picture.
  template <class F>
  OperatorDeclaration& sees_rectangle(F f, bool is_copy = false,
                                      Function<bool(const detail::Arguments&)> all = {}) {
    make_sight_ =
        [f = std::move(f), is_copy, all = std::move(all)](
            detail::OperatorSchema schema) -> Function<detail::Sight(const detail::Arguments&)> {
      schema.name += ".rectangle";
      schema.outputs = {{"rectangle", detail::slot_type<Rectangle>()}};
      schema.events.clear();
      detail::Sight sight;
      sight.of = detail::Sight::Of::rectangle;
      sight.is_copy = is_copy;
      sight.rectangle = detail::make_operator(std::move(schema), {}, f);
      return [sight, all](const detail::Arguments& arguments) {
        return all && all(arguments) ? detail::Sight() : sight;
      };
    };
    return *this;
  }
  // It is a decoder; these make less of its picture.
  OperatorDeclaration& decodes(detail::PartialDecoding decoding);
  // It is a decoder that can give its picture row by row.
  OperatorDeclaration& decodes_rows(detail::RowDecoding decoding);
  // It can leave its work to the operator after it, and do that of the one before: see Deferral.
  // `make` is given the schema when all of it has been said.
  OperatorDeclaration& defers(Function<detail::Deferral(const detail::OperatorSchema&)> make);
  // It maps levels by a table, for constants at least.
  OperatorDeclaration& maps_levels(
      Function<std::optional<std::array<std::uint8_t, 256>>(const detail::Arguments&)> table);

  template <class F>
  detail::OperatorPtr runs(F f) {
    complete();
    return detail::make_operator(std::move(schema_), std::move(functions_), std::move(f));
  }
  // In place of runs(): it is no operator, but a function of C++ that records these operators.
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
  // Fills in what needs the whole schema.
  void complete();

  detail::OperatorSchema schema_;
  detail::OperatorFunctions functions_;
  Function<Function<detail::Sight(const detail::Arguments&)>(detail::OperatorSchema)> make_sight_;
  Function<detail::Deferral(const detail::OperatorSchema&)> make_deferral_;
};

inline OperatorDeclaration declare_operator(std::string name) {
  return OperatorDeclaration(std::move(name));
}

}  // namespace sluice
