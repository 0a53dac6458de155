// Converts arguments and results of Graph's functions to and from slots. Internal to the builder.
#pragma once

#include <sluice/graph/builder/structure.h>
#include <sluice/runtime/function.h>
#include <sluice/runtime/half.h>
#include <sluice/runtime/take_ownership.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

namespace detail {

// An argument of map(). A Value or Param is read from the sample; anything else is a constant.
template <class A>
struct argument {
  using type = A;
  static void reads(const A&, const ArgumentContext&, std::vector<SlotId>&) {}
  static const A& of(const A& constant, const Sample&) { return constant; }
};
template <class T>
struct argument<Value<T>> {
  using type = T;
  static void reads(const Value<T>& value, const ArgumentContext& context,
                    std::vector<SlotId>& slots) {
    (void)normal(context, value);
    slots.push_back(value.slot());
  }
  static const T& of(const Value<T>& value, const Sample& sample) {
    return sample.get<T>(value.slot());
  }
};
template <class T>
struct argument<Param<T>> {
  using type = T;
  static void reads(const Param<T>& param, const ArgumentContext& context,
                    std::vector<SlotId>& slots) {
    if (!param.is_constant()) argument<Value<T>>::reads(param.value(), context, slots);
  }
  static const T& of(const Param<T>& param, const Sample& sample) { return param.of(sample); }
};
template <class A>
using argument_t = typename argument<std::decay_t<A>>::type;

template <class R>
inline constexpr bool is_value = false;
template <class T>
inline constexpr bool is_value<Value<T>> = true;

template <class A>
inline constexpr bool is_scalar_argument =
    std::is_arithmetic_v<argument_t<A>> || std::is_same_v<argument_t<A>, Half>;

template <class A>
inline constexpr bool is_integer_argument =
    std::is_integral_v<argument_t<A>> || std::is_enum_v<argument_t<A>>;

template <class T>
bool truth(const T& number) {
  if constexpr (std::is_same_v<T, Half>) {
    return static_cast<float>(number) != 0.f;
  } else {
    return number != T{};
  }
}

std::string is_given(std::string_view step);

[[noreturn]] void throw_empty_function(std::string_view step);
// Throws BuildError if f is an empty function wrapper.
template <class F>
void require_function(std::string_view step, const F& f) {
  if (detail::is_empty(f)) throw_empty_function(step);
}

// Returns f(args...) by value: a result by reference is copied.
template <class R, class F, class... Args>
R invoke_to_own(const F& f, Args&&... args) {
  if constexpr (std::is_lvalue_reference_v<std::invoke_result_t<const F&, Args...>>) {
    return copy_of<R>(detail::invoke(f, std::forward<Args>(args)...));
  } else {
    return R(detail::invoke(f, std::forward<Args>(args)...));
  }
}

// Begins a step that reads the Values among the arguments.
template <class... Args>
Step begin_step(PlanBuilder& builder, std::string_view name, const Args&... args) {
  Step step;
  step.name = builder.unique_name(name);
  const ArgumentContext context{builder, is_given(step.name)};
  (argument<Args>::reads(args, context, step.reads), ...);
  return step;
}

// Returns the result of a branch: calls a callable, and returns anything else unchanged.
template <class Branch>
auto give(const Branch& branch) {
  if constexpr (std::is_invocable_v<const Branch&>) {
    return branch();
  } else {
    return branch;
  }
}
template <class Branch>
using given_t = decltype(give(std::declval<const Branch&>()));

// True if F takes a state, after the arguments in Before, as one argument or as the separate
// elements of a tuple.
template <class F, class S, class... Before>
inline constexpr bool takes_whole = std::is_invocable_v<F&, const Before&..., const S&>;
template <class F, class S, class... Before>
constexpr bool takes_parts() {
  if constexpr (requires { std::tuple_size<S>::value; }) {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return std::is_invocable_v<F&, const Before&..., const std::tuple_element_t<I, S>&...>;
    }
    (std::make_index_sequence<std::tuple_size_v<S>>());
  } else {
    return false;
  }
}
template <class F, class S, class... Before>
constexpr bool takes_state() {
  if constexpr (takes_whole<F, S, Before...>) {
    return true;
  } else {
    return takes_parts<F, S, Before...>();
  }
}

template <class F, class S, class... Before>
auto call(F& f, const S& state, const Before&... before) {
  if constexpr (takes_whole<F, S, Before...>) {
    return f(before..., state);
  } else {
    return std::apply([&](const auto&... part) { return f(before..., part...); }, state);
  }
}
template <class F, class S, class... Before>
using called_t =
    decltype(call(std::declval<F&>(), std::declval<const S&>(), std::declval<const Before&>()...));

// Moves a callable's result into the value of a slot, with memory of its own.
template <Origin kOrigin, class R>
void store(R& slot, R& result) {
  take_ownership<kOrigin>(result);
  slot = std::move(result);
}

// Writes a callable's result into the slots of the step: each element of a tuple into its own slot,
// anything else into one.
template <class R>
struct results {
  using values = Value<R>;
  static values add(PlanBuilder& builder, Step& step) {
    step.writes.push_back(builder.add_slot(slot_type<R>(), step.name));
    return {builder, step.writes.back()};
  }
  template <Origin kOrigin = Origin::step>
  static void write(Sample& sample, const std::vector<SlotId>& slots, R&& result) {
    store<kOrigin>(sample.get<R>(slots[0]), result);
  }
};
template <class... Rs>
struct results<std::tuple<Rs...>> {
  using values = std::tuple<Value<Rs>...>;
  static values add(PlanBuilder& builder, Step& step) {
    return values{results<Rs>::add(builder, step)...};
  }
  template <Origin kOrigin = Origin::step>
  static void write(Sample& sample, const std::vector<SlotId>& slots, std::tuple<Rs...>&& result) {
    write_each<kOrigin>(sample, slots, result, std::index_sequence_for<Rs...>());
  }

 private:
  template <Origin kOrigin, std::size_t... I>
  static void write_each(Sample& sample, const std::vector<SlotId>& slots,
                         std::tuple<Rs...>& result, std::index_sequence<I...>) {
    (store<kOrigin>(sample.get<Rs>(slots[I]), std::get<I>(result)), ...);
  }
};

template <class To, class From>
Value<To> exact_cast(const Value<From>& value) {
  static_assert(number_becomes<From, To>,
                "an operator's parameter is given a Value that may lose something: say how with "
                "cast<T>(value), or compare to make a bool");
  if (!value.valid()) throw_empty(is_given("cast"));
  PlanBuilder& builder = value.builder();
  if constexpr (is_known_number<From> && is_known_number<To>) {
    (void)normal({builder, is_given("cast")}, value);
    return {builder, builder.add(convert_operator(),
                                 {SlotArgument{value.slot(), slot_type<From>()},
                                  Constant(std::string(known_number_name<To>()))},
                                 "cast")[0]};
  } else {
    Step step = begin_step<Value<From>>(builder, "cast", value);
    const Value<To> result = results<To>::add(builder, step);
    step.run = [from = value.slot(), to = result.slot()](Sample& sample) {
      sample.get<To>(to) = exact_value<To>(sample.get<From>(from), type_name<To>());
    };
    builder.add_step(std::move(step));
    return result;
  }
}

}  // namespace detail

}  // namespace sluice
