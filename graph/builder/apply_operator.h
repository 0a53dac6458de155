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
#pragma once

#include <sluice/graph/builder/argument.h>
#include <sluice/graph/builder/operator_function.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

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

}  // namespace sluice
