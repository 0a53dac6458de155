// Arithmetic, bitwise operators and comparisons on values: a + b, -a, a & b, a < b, !a, cast<T>(a),
// floor_divide(a, b), power(a, b), minimum(a, b) ... Each records one step. One side may be a
// constant, which takes the type of the other side. A member of a struct that an operator returns
// is a value, too: canvas_size(image).width >= 300.
//
// The types of results follow runtime/arithmetic.h: unlike in C++, narrow types do not become int.
// A constant that does not fit the value's type throws BuildError. A sample fails if the result of
// an operation or a cast does not fit its type, or if an integer is divided by zero.
//
// There are no && and ||, because they could not skip their right side. Use Graph::all_of and
// Graph::any_of.
#pragma once

#include <sluice/graph/builder/plan_builder.h>
#include <sluice/graph/graph.h>
#include <sluice/graph/plan/number_types.h>
#include <sluice/runtime/arithmetic.h>

#include <string>
#include <type_traits>

namespace sluice {

namespace detail {

// A Value or a Param.
template <class A>
inline constexpr bool is_given_value = is_value<A>;
template <class T>
inline constexpr bool is_given_value<Param<T>> = true;

template <class A>
concept number_value = is_given_value<A> && is_number<argument_t<A>>;
// At least one side is a Value or Param of a number; the other side is a number.
template <class A, class B>
concept number_pair = (number_value<A> ||
                       number_value<B>)&&is_number<argument_t<A>>&& is_number<argument_t<B>>;

template <class A, class B>
concept bits_pair =
    number_pair<A, B> && std::is_integral_v<argument_t<A>> && std::is_integral_v<argument_t<B>> &&
    !(std::is_same_v<argument_t<A>, bool> && std::is_same_v<argument_t<B>, bool>);

template <class A>
constexpr NumberSide side_of() {
  return {number_type_of<argument_t<A>>(), !is_given_value<A>};
}
// The C++ type of the result: the type of a side that has the result's number type, else the
// standard type for that number type.
template <NumberOperation kWhat, class A, class B>
using number_result_t = std::conditional_t<
    !is_comparison(kWhat) && is_given_value<A> &&
        number_type_of<argument_t<A>>() == result_type(kWhat, side_of<A>(), side_of<B>()),
    argument_t<A>,
    std::conditional_t<!is_comparison(kWhat) && is_given_value<B> &&
                           number_type_of<argument_t<B>>() ==
                               result_type(kWhat, side_of<A>(), side_of<B>()),
                       argument_t<B>, number_t<result_type(kWhat, side_of<A>(), side_of<B>())>>>;

// Returns a Param as a Value, even if it is a constant.
template <class A>
const A& as_value(PlanBuilder&, const A& number) {
  return number;
}
template <class T>
Value<T> as_value(PlanBuilder& builder, const Param<T>& number) {
  return number.is_constant() ? constant_value<T>(builder, number.constant()) : number.value();
}

template <NumberOperation kWhat, class A, class B>
auto computed_step(PlanBuilder& builder, const A& a, const B& b) {
  using X = argument_t<A>;
  using Y = argument_t<B>;
  using R = number_result_t<kWhat, A, B>;
  if constexpr (is_known_number<X> && is_known_number<Y>) {
    return apply_operator<R>(builder, arithmetic_operator(name_of(kWhat)), a, b);
  } else {
    if constexpr (!is_given_value<A>) check_constant(kWhat, known_number(a), number_type_of<Y>());
    if constexpr (!is_given_value<B>) check_constant(kWhat, known_number(b), number_type_of<X>());
    return Graph(builder).map(
        name_of(kWhat),
        [](const X& x, const Y& y) { return computed<R>(kWhat, known_number(x), known_number(y)); },
        a, b);
  }
}

// Records a step of the operation. Number types without an operator use a function instead.
template <NumberOperation kWhat, class A, class B>
auto binary(const A& a, const B& b) {
  PlanBuilder& builder = require_builder(name_of(kWhat), a, b);
  return computed_step<kWhat>(builder, as_value(builder, a), as_value(builder, b));
}

template <NumberOperation kWhat, class A>
auto unary(const A& given) {
  PlanBuilder& builder = require_builder(name_of(kWhat), given);
  const auto a = as_value(builder, given);
  using T = argument_t<A>;
  using R = number_result_t<kWhat, A, A>;
  if constexpr (is_known_number<T>) {
    return apply_operator<R>(builder, arithmetic_operator(name_of(kWhat)), a);
  } else {
    return Graph(builder).map(
        name_of(kWhat),
        [](const T& x) { return computed<R>(kWhat, known_number(x), known_number(x)); }, a);
  }
}

}  // namespace detail

template <class A, class B>
requires detail::number_pair<A, B>
auto operator+(const A& a, const B& b) {
  return detail::binary<detail::NumberOperation::add>(a, b);
}
template <class A, class B>
requires detail::number_pair<A, B>
auto operator-(const A& a, const B& b) {
  return detail::binary<detail::NumberOperation::subtract>(a, b);
}
template <class A, class B>
requires detail::number_pair<A, B>
auto operator*(const A& a, const B& b) {
  return detail::binary<detail::NumberOperation::multiply>(a, b);
}
// As in C++: an integer quotient loses its fraction, and a remainder has the sign of a.
template <class A, class B>
requires detail::number_pair<A, B>
auto operator/(const A& a, const B& b) {
  return detail::binary<detail::NumberOperation::divide>(a, b);
}
template <class A, class B>
requires detail::number_pair<A, B>
auto operator%(const A& a, const B& b) {
  return detail::binary<detail::NumberOperation::remainder>(a, b);
}
// As in Python: the quotient is rounded down, and modulo has the sign of b.
template <class A, class B>
requires detail::number_pair<A, B>
auto floor_divide(const A& a, const B& b) {
  return detail::binary<detail::NumberOperation::floor_divide>(a, b);
}
template <class A, class B>
requires detail::number_pair<A, B>
auto modulo(const A& a, const B& b) {
  return detail::binary<detail::NumberOperation::modulo>(a, b);
}
// An integer needs an integer exponent of 0 or more, else the sample fails.
template <class A, class B>
requires detail::number_pair<A, B>
auto power(const A& a, const B& b) { return detail::binary<detail::NumberOperation::power>(a, b); }
// NaN if either is NaN.
template <class A, class B>
requires detail::number_pair<A, B>
auto minimum(const A& a, const B& b) {
  return detail::binary<detail::NumberOperation::minimum>(a, b);
}
template <class A, class B>
requires detail::number_pair<A, B>
auto maximum(const A& a, const B& b) {
  return detail::binary<detail::NumberOperation::maximum>(a, b);
}
template <class A, class Low, class High>
requires detail::number_value<A> && detail::number_pair<A, Low> && detail::number_pair<A, High>
auto clamp(const A& a, const Low& low, const High& high) { return minimum(maximum(a, low), high); }

// For integers, one of which may be a bool. For two bools, use Graph::all_of and Graph::any_of.
template <class A, class B>
requires detail::bits_pair<A, B>
auto operator&(const A& a, const B& b) {
  return detail::binary<detail::NumberOperation::bitwise_and>(a, b);
}
template <class A, class B>
requires detail::bits_pair<A, B>
auto operator|(const A& a, const B& b) {
  return detail::binary<detail::NumberOperation::bitwise_or>(a, b);
}
template <class A, class B>
requires detail::bits_pair<A, B>
auto operator^(const A& a, const B& b) {
  return detail::binary<detail::NumberOperation::bitwise_xor>(a, b);
}

// Exact for all types: -1 is less than an unsigned 0.
template <class A, class B>
requires detail::number_pair<A, B> Value<bool>
operator<(const A& a, const B& b) { return detail::binary<detail::NumberOperation::less>(a, b); }
template <class A, class B>
requires detail::number_pair<A, B> Value<bool>
operator>(const A& a, const B& b) { return detail::binary<detail::NumberOperation::greater>(a, b); }
template <class A, class B>
requires detail::number_pair<A, B> Value<bool>
operator<=(const A& a, const B& b) {
  return detail::binary<detail::NumberOperation::less_equal>(a, b);
}
template <class A, class B>
requires detail::number_pair<A, B> Value<bool>
operator>=(const A& a, const B& b) {
  return detail::binary<detail::NumberOperation::greater_equal>(a, b);
}
template <class A, class B>
requires detail::number_pair<A, B> Value<bool>
operator==(const A& a, const B& b) { return detail::binary<detail::NumberOperation::equal>(a, b); }
template <class A, class B>
requires detail::number_pair<A, B> Value<bool>
operator!=(const A& a, const B& b) {
  return detail::binary<detail::NumberOperation::not_equal>(a, b);
}

template <class A>
requires detail::number_value<A>
auto operator-(const A& a) { return detail::unary<detail::NumberOperation::negate>(a); }
template <class A>
requires detail::number_value<A>
auto abs(const A& a) { return detail::unary<detail::NumberOperation::absolute>(a); }
// sqrt, exp and log return f32 for whole numbers. sqrt and log of a negative number are NaN, and
// log(0) is -infinity.
template <class A>
requires detail::number_value<A>
auto sqrt(const A& a) { return detail::unary<detail::NumberOperation::square_root>(a); }
template <class A>
requires detail::number_value<A>
auto exp(const A& a) { return detail::unary<detail::NumberOperation::exponential>(a); }
template <class A>
requires detail::number_value<A>
auto log(const A& a) { return detail::unary<detail::NumberOperation::logarithm>(a); }
// Accepts values of all types, so that compiler errors are about this operator and not about
// others.
template <class A>
requires detail::is_given_value<A> Value<bool>
operator!(const A& a) {
  static_assert(detail::is_number<detail::argument_t<A>>,
                "!: the value must be a bool or a number; for other types, make a bool with map");
  // The assertion above is error enough.
  if constexpr (detail::is_number<detail::argument_t<A>>) {
    return detail::unary<detail::NumberOperation::logical_not>(a);
  } else {
    return {};
  }
}

// Converts the number to another type. Fractions are cut off. As a bool, 0 is false and all other
// numbers are true. The sample fails if the number does not fit the type: a number too large for an
// integer type, infinity or NaN as an integer, or a finite number that would become infinite.
template <class To, class A>
requires(detail::number_value<A>&& detail::is_number<To>) Value<To> cast(const A& given) {
  detail::PlanBuilder& builder = detail::require_builder("cast", given);
  const auto a = detail::as_value(builder, given);
  using T = detail::argument_t<A>;
  if constexpr (detail::is_known_number<T> && detail::is_known_number<To>) {
    return detail::apply_operator<To>(builder, detail::cast_operator(), a,
                                      std::string(detail::known_number_name<To>()));
  } else {
    constexpr detail::NumberType kTo = detail::number_type_of<To>();
    return Graph(builder).map(
        "cast",
        [](const T& x) {
          const detail::Number made = detail::cast_number(detail::known_number(x), kTo);
          return static_cast<To>(made.as<detail::number_t<kTo>>());
        },
        a);
  }
}

// These would compute both sides. See Graph::all_of and Graph::any_of.
template <class A, class B>
requires(detail::is_value<A> || detail::is_value<B>) Value<bool>
operator&&(const A&, const B&) {
  static_assert(detail::never<A>,
                "&& would compute both sides for each sample: use Graph::all_of(left, [&] { return "
                "right; })");
  return {};
}
template <class A, class B>
requires(detail::is_value<A> || detail::is_value<B>) Value<bool>
operator||(const A&, const B&) {
  static_assert(detail::never<A>,
                "|| would compute both sides for each sample: use Graph::any_of(left, [&] { return "
                "right; })");
  return {};
}

}  // namespace sluice
