// Arithmetic, bits and comparison on values: a + b, -a, a & b, a < b, !a, cast<T>(a). Each writes
// one step that computes, for each sample, what the same expression gives in C++ for the types at
// hand (Half computes as float). One side may be a constant.
//
// Where C++ leaves open what happens, this does not: +, - and * of whole numbers wrap around, as
// unsigned ones do. A division without a result (by zero, or of the smallest number by -1) and a
// cast to a whole type that cannot hold the number are errors of their samples.
//
// There are no && and ||: they could not leave out their right side. Use Graph::all_of and
// Graph::any_of.
#pragma once

#include <sluice/graph/builder/number_functions.h>
#include <sluice/graph/graph.h>
#include <sluice/runtime/half.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace sluice {

namespace detail {

template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || std::is_same_v<T, Half>;

// A Value of a number on at least one side, a number or a Value of one on the other.
template <class A, class B>
concept number_pair = (is_value<A> ||
                       is_value<B>)&&is_number<argument_t<A>>&& is_number<argument_t<B>>;

template <class A, class B>
concept bits_pair =
    number_pair<A, B> && std::is_integral_v<argument_t<A>> && std::is_integral_v<argument_t<B>> &&
    !(std::is_same_v<argument_t<A>, bool> && std::is_same_v<argument_t<B>, bool>);

// A step of the operator with this name, which F does with plain numbers. On numbers of types that
// no operator knows it is a function.
template <class F, class A, class B>
auto binary(std::string_view name, const A& a, const B& b) {
  Recorder* recorder = nullptr;
  if constexpr (is_value<A>) {
    if (!a.valid()) throw_empty(is_given(name));
    recorder = &a.recorder();
  } else {
    if (!b.valid()) throw_empty(is_given(name));
    recorder = &b.recorder();
  }
  using X = argument_t<A>;
  using Y = argument_t<B>;
  if constexpr (is_known_number<X> && is_known_number<Y>) {
    return apply_operator<decltype(F()(plain(X()), plain(Y())))>(*recorder,
                                                                 arithmetic_operator(name), a, b);
  } else {
    return Graph(*recorder).map(
        name, [](const X& x, const Y& y) { return F()(plain(x), plain(y)); }, a, b);
  }
}

template <class F, class T>
auto unary(std::string_view name, const Value<T>& a) {
  if (!a.valid()) throw_empty(is_given(name));
  if constexpr (is_known_number<T>) {
    return apply_operator<decltype(F()(plain(T())))>(a.recorder(), arithmetic_operator(name), a);
  } else {
    return Graph(a.recorder())
        .map(
            name, [](const T& x) { return F()(plain(x)); }, a);
  }
}

}  // namespace detail

template <class A, class B>
requires detail::number_pair<A, B>
auto operator+(const A& a, const B& b) { return detail::binary<detail::Add>("add", a, b); }
template <class A, class B>
requires detail::number_pair<A, B>
auto operator-(const A& a, const B& b) {
  return detail::binary<detail::Subtract>("subtract", a, b);
}
template <class A, class B>
requires detail::number_pair<A, B>
auto operator*(const A& a, const B& b) {
  return detail::binary<detail::Multiply>("multiply", a, b);
}
template <class A, class B>
requires detail::number_pair<A, B>
auto operator/(const A& a, const B& b) { return detail::binary<detail::Divide>("divide", a, b); }
template <class A, class B>
requires detail::number_pair<A, B> && std::is_integral_v<detail::argument_t<A>> &&
    std::is_integral_v<detail::argument_t<B>>
auto operator%(const A& a, const B& b) {
  return detail::binary<detail::Remainder>("remainder", a, b);
}

// Of whole numbers, one of which may be a bool. Two bools have Graph::all_of and Graph::any_of.
template <class A, class B>
requires detail::bits_pair<A, B>
auto operator&(const A& a, const B& b) {
  return detail::binary<detail::BitwiseAnd>("bitwise_and", a, b);
}
template <class A, class B>
requires detail::bits_pair<A, B>
auto operator|(const A& a, const B& b) {
  return detail::binary<detail::BitwiseOr>("bitwise_or", a, b);
}
template <class A, class B>
requires detail::bits_pair<A, B>
auto operator^(const A& a, const B& b) {
  return detail::binary<detail::BitwiseXor>("bitwise_xor", a, b);
}

template <class A, class B>
requires detail::number_pair<A, B> Value<bool>
operator<(const A& a, const B& b) { return detail::binary<detail::Less>("less", a, b); }
template <class A, class B>
requires detail::number_pair<A, B> Value<bool>
operator>(const A& a, const B& b) { return detail::binary<detail::Greater>("greater", a, b); }
template <class A, class B>
requires detail::number_pair<A, B> Value<bool>
operator<=(const A& a, const B& b) { return detail::binary<detail::LessEqual>("less_equal", a, b); }
template <class A, class B>
requires detail::number_pair<A, B> Value<bool>
operator>=(const A& a, const B& b) {
  return detail::binary<detail::GreaterEqual>("greater_equal", a, b);
}
template <class A, class B>
requires detail::number_pair<A, B> Value<bool>
operator==(const A& a, const B& b) { return detail::binary<detail::Equal>("equal", a, b); }
template <class A, class B>
requires detail::number_pair<A, B> Value<bool>
operator!=(const A& a, const B& b) { return detail::binary<detail::NotEqual>("not_equal", a, b); }

template <class T>
requires detail::is_number<T>
auto operator-(const Value<T>& a) { return detail::unary<detail::Negate>("negate", a); }
// Takes values of all types, so that the compiler speaks of this operator and not of others.
template <class T>
Value<bool> operator!(const Value<T>& a) {
  static_assert(detail::is_number<T>,
                "!: the value must be a bool or a number; of anything else make a bool with map");
  return detail::unary<detail::Not>("not", a);
}

// The number as another type, as static_cast does it: fractions are cut off, and whole numbers that
// do not fit wrap around. A fraction, infinity or NaN that does not fit into a whole type is the
// error of its sample.
template <class To, class T>
requires(detail::is_number<T>&& detail::is_number<To>) Value<To> cast(const Value<T>& a) {
  if (!a.valid()) detail::throw_empty(detail::is_given("cast"));
  if constexpr (detail::is_known_number<T> && detail::is_known_number<To>) {
    return detail::apply_operator<To>(a.recorder(), detail::cast_operator(), a,
                                      std::string(detail::known_number_name<To>()));
  } else {
    return Graph(a.recorder())
        .map(
            "cast", [](const T& x) { return detail::number_as<To>(detail::plain(x)); }, a);
  }
}

// These would compute both sides: see Graph::all_of and Graph::any_of.
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
