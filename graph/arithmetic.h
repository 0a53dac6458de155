// Arithmetic and comparison on values: a + b, -a, a < b, !a, cast<T>(a). Each writes one step that
// computes, for each sample, what the same expression gives in C++ for the types at hand (Half
// computes as float). One side may be a constant.
//
// There are no && and ||: they could not leave out their right side. Use Graph::all_of and
// Graph::any_of. Integer division by zero is the error of its sample.
#pragma once

#include <sluice/graph/graph.h>
#include <sluice/runtime/half.h>

#include <stdexcept>
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
  Recorder* recorder = nullptr;
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

// Whole numbers divide as in C++; by zero that has no meaning.
template <class X, class Y>
void check_divisor(const X&, const Y& y) {
  if constexpr (std::is_integral_v<X> && std::is_integral_v<Y>) {
    if (y == 0) throw std::domain_error("integer division by zero");
  } else {
    (void)y;
  }
}

}  // namespace detail

template <class A, class B>
requires detail::number_pair<A, B>
auto operator+(const A& a, const B& b) {
  return detail::binary(
      "add", [](auto x, auto y) { return x + y; }, a, b);
}
template <class A, class B>
requires detail::number_pair<A, B>
auto operator-(const A& a, const B& b) {
  return detail::binary(
      "subtract", [](auto x, auto y) { return x - y; }, a, b);
}
template <class A, class B>
requires detail::number_pair<A, B>
auto operator*(const A& a, const B& b) {
  return detail::binary(
      "multiply", [](auto x, auto y) { return x * y; }, a, b);
}
template <class A, class B>
requires detail::number_pair<A, B>
auto operator/(const A& a, const B& b) {
  return detail::binary(
      "divide",
      [](auto x, auto y) {
        detail::check_divisor(x, y);
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
        detail::check_divisor(x, y);
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
      "negate", [](auto x) { return -x; }, a);
}
// Takes values of all types, so that the compiler speaks of this operator and not of others.
template <class T>
Value<bool> operator!(const Value<T>& a) {
  static_assert(detail::is_number<T>,
                "!: the value must be a bool or a number; of anything else make a bool with map");
  return detail::unary(
      "not", [](auto x) { return !detail::truth(x); }, a);
}

// The number as another type, as static_cast does it.
template <class To, class T>
requires(detail::is_number<T>&& detail::is_number<To>) Value<To> cast(const Value<T>& a) {
  return detail::unary(
      "cast", [](auto x) { return static_cast<To>(x); }, a);
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
