// Computes operations, comparisons and conversions of numbers by the rules of arithmetic.h. Unless
// stated otherwise, both numbers have the type C: std::int64_t, std::uint64_t, Wide, float or
// double. Convert a Half to float first. visit_dtype() calls a function for the element type of a
// tensor.
//
// Threads: pure functions. Errors: std::domain_error for an integer that is divided by zero or has
// a negative exponent; std::overflow_error by throw_overflow(), std::range_error by throw_cast().
#pragma once

#include <sluice/runtime/arithmetic.h>
#include <sluice/runtime/half.h>
#include <sluice/runtime/tensor.h>

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace sluice::detail {

// Holds the integers of all types, their sums and their differences.
__extension__ using Wide = __int128;
template <class C>
inline constexpr bool is_whole = std::is_integral_v<C> || std::is_same_v<C, Wide>;

[[noreturn]] void throw_division_by_zero();
[[noreturn]] void throw_negative_power();
// `x` and `y` as texts; `y` is empty if there is only one number.
[[noreturn]] void throw_overflow(NumberOperation what, const std::string& x, const std::string& y,
                                 NumberType type);
[[noreturn]] void throw_cast(const std::string& number, NumberType type);

std::string text_of(Wide whole);  // must fit into 64 bits
std::string text_of(double fraction);
template <std::integral C>
std::string text_of(C whole) {
  return text_of(static_cast<Wide>(whole));
}

template <class C>
C whole_quotient(C x, C y) {
  if (y == 0) throw_division_by_zero();
  return static_cast<C>(x / y);
}
template <class C>
C whole_remainder(C x, C y) {
  if (y == 0) throw_division_by_zero();
  // The CPU traps when it divides the smallest number by -1.
  return y == C(-1) ? C{0} : static_cast<C>(x % y);
}

// As __builtin_mul_overflow. For a Wide, Clang makes that a call of a function that libgcc lacks.
template <class C>
bool multiply_overflows(C x, C y, C& to) {
  if constexpr (!std::is_same_v<C, Wide>) {
    return __builtin_mul_overflow(x, y, &to);
  } else {
    __extension__ using Bits = unsigned __int128;
    const auto is_short = [](Wide n) { return n == static_cast<std::int64_t>(n); };
    const auto magnitude = [](Wide n) {
      return n < 0 ? Bits{0} - static_cast<Bits>(n) : static_cast<Bits>(n);
    };
    to = static_cast<Wide>(static_cast<Bits>(x) * static_cast<Bits>(y));
    if ((is_short(x) && is_short(y)) || y == 0) return false;
    const Bits lowest = Bits{1} << 127, highest = lowest - 1;  // their magnitudes
    return magnitude(x) > ((x < 0) != (y < 0) ? lowest : highest) / magnitude(y);
  }
}

template <class C>
bool whole_power(C base, C exponent, C& to) {
  if (exponent < 0) throw_negative_power();
  to = 1;
  while (true) {
    if ((exponent & 1) != 0 && multiply_overflows(to, base, to)) return false;
    exponent >>= 1;
    if (exponent == 0) return true;
    if (multiply_overflows(base, base, base)) return false;
  }
}

template <class C>
constexpr C fraction_modulo(C x, C y) {
  const C rest = std::fmod(x, y);
  if (rest == 0) return std::copysign(C{0}, y);
  return (rest < 0) != (y < 0) ? rest + y : rest;
}
template <class C>
constexpr C fraction_floor_divide(C x, C y) {
  if (y == 0) return x / y;
  const C rest = std::fmod(x, y);
  C near = (x - rest) / y;
  if (rest != 0 && (rest < 0) != (y < 0)) near -= 1;
  if (near == 0) return std::copysign(C{0}, x / y);
  // An integer, except for rounding errors.
  const C whole = std::floor(near);
  return near - whole > C(0.5) ? whole + 1 : whole;
}

// Returns false if `to` does not hold the result. `kRoom`: C holds all sums, differences and
// products.
template <NumberOperation kWhat, bool kRoom = false, class C>
bool compute(C x, C y, C& to) {
  using enum NumberOperation;
  constexpr bool kChecked = is_whole<C> && !kRoom;
  if constexpr (kWhat == add) {
    if constexpr (kChecked) return !__builtin_add_overflow(x, y, &to);
    to = static_cast<C>(x + y);
  } else if constexpr (kWhat == subtract) {
    if constexpr (kChecked) return !__builtin_sub_overflow(x, y, &to);
    to = static_cast<C>(x - y);
  } else if constexpr (kWhat == multiply) {
    if constexpr (kChecked) return !multiply_overflows(x, y, to);
    to = static_cast<C>(x * y);
  } else if constexpr (kWhat == divide || kWhat == floor_divide) {
    if constexpr (is_whole<C>) {
      if (y == C(-1)) return !__builtin_sub_overflow(C{0}, x, &to);
      to = whole_quotient(x, y);
      if (kWhat == floor_divide && (x < 0) != (y < 0) && whole_remainder(x, y) != 0) --to;
    } else {
      to = kWhat == divide ? x / y : fraction_floor_divide(x, y);
    }
  } else if constexpr (kWhat == remainder) {
    if constexpr (is_whole<C>) {
      to = whole_remainder(x, y);
    } else {
      to = std::fmod(x, y);
    }
  } else if constexpr (kWhat == modulo) {
    if constexpr (is_whole<C>) {
      to = whole_remainder(x, y);
      if (to != 0 && (to < 0) != (y < 0)) to = static_cast<C>(to + y);
    } else {
      to = fraction_modulo(x, y);
    }
  } else if constexpr (kWhat == power) {
    if constexpr (is_whole<C>) return whole_power(x, y, to);
    to = static_cast<C>(std::pow(static_cast<double>(x), static_cast<double>(y)));
  } else if constexpr (kWhat == minimum) {
    to = x < y || x != x ? x : y;
  } else if constexpr (kWhat == maximum) {
    to = x > y || x != x ? x : y;
  } else if constexpr (is_bitwise(kWhat) && is_whole<C>) {
    to = kWhat == bitwise_and  ? static_cast<C>(x & y)
         : kWhat == bitwise_or ? static_cast<C>(x | y)
                               : static_cast<C>(x ^ y);
  } else if constexpr (kWhat == negate) {
    if constexpr (kChecked) return !__builtin_sub_overflow(C{0}, x, &to);
    to = static_cast<C>(-x);
  } else if constexpr (kWhat == absolute) {
    if (x < 0) return compute<negate, kRoom>(x, y, to);
    to = x == 0 ? C{} : x;  // not -0
  } else if constexpr (is_real_function(kWhat) && !is_whole<C>) {
    // Computed as double, so that f32 results rarely differ between C libraries.
    const auto number = static_cast<double>(x);
    to = static_cast<C>(kWhat == square_root   ? std::sqrt(number)
                        : kWhat == exponential ? std::exp(number)
                                               : std::log(number));
  }
  return true;
}

// True if compute() has the operation for numbers of type C: not for comparisons and logical_not,
// whose result is a bool; for bitwise operations only if C is an integer, and for functions only if
// it is not.
template <class C>
constexpr bool computes_in(NumberOperation what) {
  return !is_comparison(what) && what != NumberOperation::logical_not &&
         (is_whole<C> ? !is_real_function(what) : !is_bitwise(what));
}

// An order without std::partial_ordering, whose values nvcc replaces by a trap in device code.
enum class Order : std::uint8_t { less, equal, greater, unordered };

// Compares a 64-bit integer with a floating-point number, in either order.
template <class X, class Y>
constexpr Order order(X x, Y y) {
  if constexpr (is_whole<Y>) {
    const Order swapped = order(y, x);
    if (swapped == Order::less) return Order::greater;
    return swapped == Order::greater ? Order::less : swapped;
  } else {
    if (y != y) return Order::unordered;
    if (y >= 0x1p64) return Order::less;
    if (y < -0x1p63) return Order::greater;
    const Y below = std::floor(y);
    const Wide near = static_cast<Wide>(below), number = static_cast<Wide>(x);
    if (number != near) return number < near ? Order::less : Order::greater;
    return below < y ? Order::less : Order::equal;
  }
}
// Compares exactly, also an integer with a floating-point number.
template <NumberOperation kWhat, class X, class Y>
constexpr bool compare(X x, Y y) {
  using enum NumberOperation;
  if constexpr (is_whole<X> != is_whole<Y>) {
    const Order ordered = order(x, y);
    if constexpr (kWhat == less) return ordered == Order::less;
    if constexpr (kWhat == less_equal) return ordered == Order::less || ordered == Order::equal;
    if constexpr (kWhat == greater) return ordered == Order::greater;
    if constexpr (kWhat == greater_equal)
      return ordered == Order::greater || ordered == Order::equal;
    return (ordered == Order::equal) == (kWhat == equal);
  } else {
    if constexpr (kWhat == less) return x < y;
    if constexpr (kWhat == less_equal) return x <= y;
    if constexpr (kWhat == greater) return x > y;
    if constexpr (kWhat == greater_equal) return x >= y;
    if constexpr (kWhat == equal) return x == y;
    return x != y;
  }
}

// Returns a table with `of(operation)` for each operation.
template <class Of>
constexpr auto table_of(Of of) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array{of(std::integral_constant<NumberOperation, NumberOperation(I)>())...};
  }
  (std::make_index_sequence<static_cast<std::size_t>(NumberOperation::logical_not) + 1>());
}

// Calls visit(std::type_identity<C>()). C is the type to compute in (double, float, Wide or
// std::int64_t), chosen from the types of the result and of both numbers.
template <class Visit>
decltype(auto) visit_computing_type(NumberType result, NumberType x, NumberType y, Visit visit) {
  if (result == NumberType::f64) return visit(std::type_identity<double>());
  if (is_fraction(result)) return visit(std::type_identity<float>());
  if (result == NumberType::u64 || x == NumberType::u64 || y == NumberType::u64)
    return visit(std::type_identity<Wide>());
  return visit(std::type_identity<std::int64_t>());
}

// Converts the number to a To: fractions are truncated, and all numbers but 0 are true. Returns
// false if To does not hold it: a number that is too large for an integer type, NaN or infinity as
// an integer, a finite number that would become infinite.
template <class To, class C>
constexpr bool fits(C x, To& to) {
  if constexpr (std::is_same_v<To, bool>) {
    to = x != C{};
  } else if constexpr (std::is_integral_v<To>) {
    if constexpr (is_whole<C>) {
      // An i8 is a number here, not a character.
      to = static_cast<To>(x);                               // NOLINT(bugprone-signed-char-misuse)
      return static_cast<Wide>(to) == static_cast<Wide>(x);  // NOLINT(bugprone-signed-char-misuse)
    } else {
      const C whole = std::trunc(x);
      constexpr C beyond = one_past_max<C, To>;
      if (!(whole < beyond && whole >= (std::is_signed_v<To> ? -beyond : C{0}))) return false;
      to = static_cast<To>(whole);
    }
  } else if constexpr (std::is_same_v<To, BFloat16>) {
    const auto near = static_cast<float>(x);
    to = BFloat16(near);
    if (std::isfinite(static_cast<float>(to))) return true;
    if constexpr (is_whole<C>) return false;
    return !std::isfinite(static_cast<double>(x));
  } else if constexpr (std::is_same_v<To, Half>) {
    const auto near = static_cast<float>(x);
    to = Half(near);
    // Numbers below this are rounded to 65504 at most.
    if (std::fabs(near) < 65520.f) return true;
    if constexpr (is_whole<C>) return false;
    return !std::isfinite(static_cast<double>(x));
  } else {
    to = static_cast<To>(x);
    if constexpr (!is_whole<C> && sizeof(C) > sizeof(To))
      return std::isfinite(to) || !std::isfinite(x);
  }
  return true;
}

// Converts a result to the type T of its slot, rounding floating-point numbers. Returns false if T
// cannot hold it.
template <class T, class C>
bool store_result(C result, T& to) {
  if constexpr (is_whole<C>) {
    return fits(result, to);
  } else if constexpr (is_half<T>) {
    to = T(static_cast<float>(result));
  } else {
    to = static_cast<T>(result);
  }
  return true;
}

constexpr bool is_fraction(DType type) {
  return type == DType::f16 || type == DType::bf16 || type == DType::f32 || type == DType::f64;
}

// Calls f(std::type_identity<T>()).
template <class F>
void visit_dtype(DType type, const F& f) {
  switch (type) {
    case DType::u8:
      return f(std::type_identity<std::uint8_t>());
    case DType::i8:
      return f(std::type_identity<std::int8_t>());
    case DType::i16:
      return f(std::type_identity<std::int16_t>());
    case DType::u16:
      return f(std::type_identity<std::uint16_t>());
    case DType::i32:
      return f(std::type_identity<std::int32_t>());
    case DType::i64:
      return f(std::type_identity<std::int64_t>());
    case DType::f16:
      return f(std::type_identity<Half>());
    case DType::bf16:
      return f(std::type_identity<BFloat16>());
    case DType::f32:
      return f(std::type_identity<float>());
    case DType::f64:
      return f(std::type_identity<double>());
    case DType::boolean:
      return f(std::type_identity<bool>());
  }
}

}  // namespace sluice::detail
