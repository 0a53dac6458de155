// Arithmetic and comparison on values: a + b, -a, a < b, !a, cast<T>(a). Each writes one step that
// computes, for each sample, what the same expression gives in C++ for the types at hand (Half
// computes as float). One side may be a constant.
//
// Where C++ leaves open what happens, this does not: +, - and * of whole numbers wrap around, as
// unsigned ones do. A division without a result (by zero, or of the smallest number by -1) and a
// cast to a whole type that cannot hold the number are errors of their samples.
//
// There are no && and ||: they could not leave out their right side. Use Graph::all_of and
// Graph::any_of.
#pragma once

#include <sluice/graph/graph.h>
#include <sluice/runtime/half.h>

#include <cmath>
#include <limits>
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

template <class T>
auto plain(const T& x) {
  if constexpr (std::is_same_v<T, Half>) {
    return static_cast<float>(x);
  } else {
    return x;
  }
}

template <class F, class A, class B>
auto binary(std::string_view name, F f, const A& a, const B& b) {
  detail::Recorder* recorder = nullptr;
  if constexpr (is_value<A>) {
    if (!a.valid()) throw_empty(is_given(name));
    recorder = &a.recorder();
  } else {
    if (!b.valid()) throw_empty(is_given(name));
    recorder = &b.recorder();
  }
  return Graph(*recorder).map(
      name, [f](const auto& x, const auto& y) { return f(plain(x), plain(y)); }, a, b);
}

template <class F, class T>
auto unary(std::string_view name, F f, const Value<T>& a) {
  if (!a.valid()) throw_empty(is_given(name));
  return Graph(a.recorder())
      .map(
          name, [f](const T& x) { return f(plain(x)); }, a);
}

// f(x, y) of + - *, which wraps around where a signed result does not fit.
template <class F, class X, class Y>
auto wrapped(F f, X x, Y y) {
  using R = decltype(f(x, y));
  if constexpr (std::is_integral_v<R> && std::is_signed_v<R>) {
    using U = std::make_unsigned_t<R>;
    return static_cast<R>(f(static_cast<U>(x), static_cast<U>(y)));
  } else {
    return f(x, y);
  }
}

template <class X>
auto negated(X x) {
  if constexpr (std::is_integral_v<X>) {
    return wrapped([](auto p, auto q) { return p - q; }, decltype(-x){0}, x);
  } else {
    return -x;
  }
}

[[noreturn]] void throw_division_by_zero();
[[noreturn]] void throw_quotient_too_large();
[[noreturn]] void throw_cast(double number, std::string_view type);

template <class X, class Y>
void check_division(X x, Y y) {
  if constexpr (std::is_integral_v<X> && std::is_integral_v<Y>) {
    using R = decltype(x / y);
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, not a letter
    const R dividend = static_cast<R>(x), divisor = static_cast<R>(y);
    if (divisor == 0) throw_division_by_zero();
    if constexpr (std::is_signed_v<R>) {
      if (dividend == std::numeric_limits<R>::min() && divisor == -1) throw_quotient_too_large();
    }
  }
}

template <class To, class X>
To number_as(X x) {
  if constexpr (std::is_floating_point_v<X> && std::is_integral_v<To> &&
                !std::is_same_v<To, bool>) {
    const X whole = std::trunc(x);
    // The least number that is too large: a power of two, which X holds exactly.
    const X beyond = std::ldexp(X{1}, std::numeric_limits<To>::digits);
    const X least = std::is_signed_v<To> ? -beyond : X{0};
    if (!(whole >= least && whole < beyond))
      throw_cast(static_cast<double>(x), detail::type_name<To>());
  }
  return static_cast<To>(x);
}

}  // namespace detail

template <class A, class B>
requires detail::number_pair<A, B>
auto operator+(const A& a, const B& b) {
  return detail::binary(
      "add",
      [](auto x, auto y) { return detail::wrapped([](auto p, auto q) { return p + q; }, x, y); }, a,
      b);
}
template <class A, class B>
requires detail::number_pair<A, B>
auto operator-(const A& a, const B& b) {
  return detail::binary(
      "subtract",
      [](auto x, auto y) { return detail::wrapped([](auto p, auto q) { return p - q; }, x, y); }, a,
      b);
}
template <class A, class B>
requires detail::number_pair<A, B>
auto operator*(const A& a, const B& b) {
  return detail::binary(
      "multiply",
      [](auto x, auto y) { return detail::wrapped([](auto p, auto q) { return p * q; }, x, y); }, a,
      b);
}
template <class A, class B>
requires detail::number_pair<A, B>
auto operator/(const A& a, const B& b) {
  return detail::binary(
      "divide",
      [](auto x, auto y) {
        detail::check_division(x, y);
        return x / y;
      },
      a, b);
}
template <class A, class B>
requires detail::number_pair<A, B> && std::is_integral_v<detail::argument_t<A>> &&
    std::is_integral_v<detail::argument_t<B>>
auto operator%(const A& a, const B& b) {
  return detail::binary(
      "remainder",
      [](auto x, auto y) {
        detail::check_division(x, y);
        return x % y;
      },
      a, b);
}

// Comparisons of whole numbers of different signedness mean what they say (std::cmp_less and
// friends).
namespace detail {
template <class X, class Y>
constexpr bool both_whole =
    std::is_integral_v<X>&& std::is_integral_v<Y> && !std::is_same_v<X, bool> &&
    !std::is_same_v<Y, bool> && !std::is_same_v<X, char> && !std::is_same_v<Y, char>;
template <class X, class Y>
bool is_less(X x, Y y) {
  if constexpr (both_whole<X, Y>) {
    return std::cmp_less(x, y);
  } else {
    return static_cast<std::common_type_t<X, Y>>(x) < static_cast<std::common_type_t<X, Y>>(y);
  }
}
template <class X, class Y>
bool is_equal(X x, Y y) {
  if constexpr (both_whole<X, Y>) {
    return std::cmp_equal(x, y);
  } else {
    return static_cast<std::common_type_t<X, Y>>(x) == static_cast<std::common_type_t<X, Y>>(y);
  }
}
}  // namespace detail

template <class A, class B>
requires detail::number_pair<A, B> Value<bool>
operator<(const A& a, const B& b) {
  return detail::binary(
      "less", [](auto x, auto y) { return detail::is_less(x, y); }, a, b);
}
template <class A, class B>
requires detail::number_pair<A, B> Value<bool>
operator>(const A& a, const B& b) {
  return detail::binary(
      "greater", [](auto x, auto y) { return detail::is_less(y, x); }, a, b);
}
template <class A, class B>
requires detail::number_pair<A, B> Value<bool>
operator<=(const A& a, const B& b) {
  return detail::binary(
      "less_equal", [](auto x, auto y) { return detail::is_less(x, y) || detail::is_equal(x, y); },
      a, b);
}
template <class A, class B>
requires detail::number_pair<A, B> Value<bool>
operator>=(const A& a, const B& b) {
  return detail::binary(
      "greater_equal",
      [](auto x, auto y) { return detail::is_less(y, x) || detail::is_equal(x, y); }, a, b);
}
template <class A, class B>
requires detail::number_pair<A, B> Value<bool>
operator==(const A& a, const B& b) {
  return detail::binary(
      "equal", [](auto x, auto y) { return detail::is_equal(x, y); }, a, b);
}
template <class A, class B>
requires detail::number_pair<A, B> Value<bool>
operator!=(const A& a, const B& b) {
  return detail::binary(
      "not_equal", [](auto x, auto y) { return !detail::is_equal(x, y); }, a, b);
}

template <class T>
requires detail::is_number<T>
auto operator-(const Value<T>& a) {
  return detail::unary(
      "negate", [](auto x) { return detail::negated(x); }, a);
}
// Takes values of all types, so that the compiler speaks of this operator and not of others.
template <class T>
Value<bool> operator!(const Value<T>& a) {
  static_assert(detail::is_number<T>,
                "!: the value must be a bool or a number; of anything else make a bool with map");
  return detail::unary(
      "not", [](auto x) { return !detail::truth(x); }, a);
}

// The number as another type, as static_cast does it: fractions are cut off, and whole numbers that
// do not fit wrap around. A fraction, infinity or NaN that does not fit into a whole type is the
// error of its sample.
template <class To, class T>
requires(detail::is_number<T>&& detail::is_number<To>) Value<To> cast(const Value<T>& a) {
  return detail::unary(
      "cast", [](auto x) { return detail::number_as<To>(x); }, a);
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
