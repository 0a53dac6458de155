// The rules of arithmetic: the type and the value of a result. Numbers of samples
// (graph/arithmetic.h) and elements of tensors (ops/kernels/elementwise.h) follow them, in C++ and
// in Python. docs/control-flow.md has them as a table.
//
// Types:
//   bool beside another type      the other type
//   two bools                     i64; bool for bits
//   two whole numbers             the narrowest type that holds both; i64 beside u64: i64
//   a whole number and a fraction the fraction's type
//   two fractions                 the wider type
//   a constant beside a value     the value's type; but i64 beside bool, and a fraction beside a
//                                 whole number keeps its own type
//   comparisons                   bool: exact for all types
//
// Results: whole numbers are exact, and a result that its type does not hold is an error. Fractions
// follow IEEE 754; f16 computes as float and is rounded once.
//
// Threads: pure functions. Errors: std::domain_error for a whole number that is divided by zero or
// has a negative exponent, std::overflow_error by throw_overflow(), BuildError and
// std::out_of_range for a number that would lose something.
#pragma once

#include <sluice/runtime/half.h>

#include <array>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace sluice::detail {

// Which numbers become which without loss, where a constant stands beside a Value of another type
// and where an operator's parameter is given a Value of another type.
//
//   bool                 no other number, and no other number it
//   whole -> whole       a number that the type has
//   whole -> floating    a number that the type has exactly: up to 2^24 for float
//   floating -> floating rounded to nearest, as 0.1 is in `float x{0.1}`; one that is too large is
//                        none of the type
//   floating -> whole    constants that are whole numbers, and only as an operator's parameter

// Whether numbers of type From may become a To at all.
template <class From, class To>
inline constexpr bool number_becomes =
    std::is_arithmetic_v<From>&& std::is_arithmetic_v<To>&& std::is_same_v<From, bool> ==
        std::is_same_v<To, bool> &&
    (std::is_floating_point_v<To> || std::is_integral_v<From>);

// Whether this one is a To, in the sense above.
template <class To, class From>
bool is_number_of(From x) {
  if constexpr (std::is_same_v<From, To>) {
    return true;
  } else if constexpr (std::is_floating_point_v<From> && std::is_floating_point_v<To>) {
    return !std::isfinite(x) || std::fabs(x) <= std::numeric_limits<To>::max();
  } else if constexpr (std::is_floating_point_v<From>) {
    const From end = std::ldexp(From{1}, std::numeric_limits<To>::digits);
    return std::trunc(x) == x && x < end && x >= (std::is_signed_v<To> ? -end : From{0});
  } else if constexpr (std::is_floating_point_v<To>) {
    const To near = static_cast<To>(x);
    const To end = std::ldexp(To{1}, std::numeric_limits<From>::digits);
    return near < end && static_cast<From>(near) == x;
  } else {
    const To same = static_cast<To>(x);  // NOLINT(bugprone-signed-char-misuse): a number as well
    return static_cast<From>(same) == x && (x < From{}) == (same < To{});
  }
}

// As short as tells it from others: "10.5", "1e+30"; whole numbers of all digits.
std::string number_text(float number);
std::string number_text(double number);
template <class T>
std::string number_text(T number) {
  if constexpr (std::is_floating_point_v<T>) {
    return number_text(static_cast<double>(number));
  } else {
    return std::to_string(number);
  }
}

// BuildError for a constant; std::out_of_range, the sample's error, for a value.
[[noreturn]] void throw_inexact_constant(const std::string& who, const std::string& number,
                                         std::string_view type);
[[noreturn]] void throw_inexact_value(const std::string& number, std::string_view type);

template <class To, class From>
To exact_constant(const std::string& who, From x, std::string_view type) {
  if (!is_number_of<To>(x)) throw_inexact_constant(who, number_text(x), type);
  return static_cast<To>(x);
}
template <class To, class From>
To exact_value(From x, std::string_view type) {
  if (!is_number_of<To>(x)) throw_inexact_value(number_text(x), type);
  return static_cast<To>(x);
}

// Whole types of both signs stand in pairs, the signed one first.
enum class NumberType : std::uint8_t {
  boolean,
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  f16,
  f32,
  f64
};
using NumberTypes =
    std::tuple<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
               std::uint32_t, std::int64_t, std::uint64_t, Half, float, double>;
template <NumberType kType>
using number_t = std::tuple_element_t<static_cast<std::size_t>(kType), NumberTypes>;
constexpr std::string_view name_of(NumberType type) {
  constexpr std::array<std::string_view, 12> names{"bool", "i8",  "u8",  "i16", "u16", "i32",
                                                   "u32",  "i64", "u64", "f16", "f32", "f64"};
  return names.at(static_cast<std::size_t>(type));
}

template <class T>
inline constexpr bool is_number = std::is_same_v<T, Half> ||
                                  (std::is_arithmetic_v<T> && !std::is_same_v<T, long double>);

// Other whole types, as char and long long, count as those of their size and signedness.
template <class T>
requires is_number<T>
constexpr NumberType number_type_of() {
  if constexpr (std::is_same_v<T, bool>) return NumberType::boolean;
  if constexpr (std::is_same_v<T, Half>) return NumberType::f16;
  if constexpr (std::is_same_v<T, float>) return NumberType::f32;
  if constexpr (std::is_same_v<T, double>) return NumberType::f64;
  int place = std::is_signed_v<T> ? 1 : 2;
  for (std::size_t size = 1; size < sizeof(T); size *= 2) place += 2;
  return static_cast<NumberType>(place);
}

constexpr bool is_fraction(NumberType type) { return type >= NumberType::f16; }
constexpr bool is_signed(NumberType type) {
  return is_fraction(type) ||
         (type != NumberType::boolean && static_cast<std::uint8_t>(type) % 2 == 1);
}

enum class NumberOperation : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,        // whole numbers: the fraction is cut off
  remainder,     // of divide: the sign of the left side
  floor_divide,  // rounded down
  modulo,        // of floor_divide: the sign of the right side
  power,
  minimum,  // NaN if one side is NaN
  maximum,
  bitwise_and,
  bitwise_or,
  bitwise_xor,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  negate,  // of one number, here and below
  absolute,
  logical_not
};
const char* name_of(NumberOperation what);

constexpr bool is_bitwise(NumberOperation what) {
  return what >= NumberOperation::bitwise_and && what <= NumberOperation::bitwise_xor;
}
constexpr bool is_comparison(NumberOperation what) {
  return what >= NumberOperation::less && what <= NumberOperation::not_equal;
}

// One side of an operation. A constant takes the type of the value beside it.
struct NumberSide {
  NumberType type = NumberType::boolean;
  bool constant = false;
};

constexpr NumberType common_type(NumberType a, NumberType b) {
  using enum NumberType;
  if (a == b) return a == boolean ? i64 : a;
  if (a > b) return common_type(b, a);
  if (a == boolean || is_fraction(b)) return b;
  const bool same_sign = is_signed(a) == is_signed(b);
  if (same_sign || is_signed(b)) return b;
  return b == u64 ? i64 : static_cast<NumberType>(static_cast<std::uint8_t>(b) + 1);
}
constexpr NumberType common_type(NumberSide a, NumberSide b) {
  if (a.constant == b.constant) return common_type(a.type, b.type);
  if (a.constant) return common_type(b, a);
  if (is_fraction(b.type) && !is_fraction(a.type)) return b.type;
  return a.type == NumberType::boolean ? NumberType::i64 : a.type;
}
constexpr NumberType result_type(NumberOperation what, NumberSide a, NumberSide b) {
  if (is_comparison(what) || what == NumberOperation::logical_not) return NumberType::boolean;
  if (is_bitwise(what) && a.type == NumberType::boolean && b.type == NumberType::boolean)
    return NumberType::boolean;
  return common_type(a, b);
}

// Holds whole numbers of all types, their sums and differences.
__extension__ using Wide = __int128;
template <class C>
inline constexpr bool is_whole = std::is_integral_v<C> || std::is_same_v<C, Wide>;

[[noreturn]] void throw_division_by_zero();
[[noreturn]] void throw_negative_power();
// `x` and `y` as texts; `y` is empty if there is only one number.
[[noreturn]] void throw_overflow(NumberOperation what, const std::string& x, const std::string& y,
                                 NumberType type);
[[noreturn]] void throw_cast(const std::string& number, NumberType type);

std::string text_of(Wide whole);  // of at most 64 bits
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
C whole_rest(C x, C y) {
  if (y == 0) throw_division_by_zero();
  // The processor refuses to divide the smallest number by -1.
  return y == C(-1) ? C{0} : static_cast<C>(x % y);
}

template <class C>
bool whole_power(C base, C exponent, C& to) {
  if (exponent < 0) throw_negative_power();
  to = 1;
  while (true) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(to, base, &to)) return false;
    exponent >>= 1;
    if (exponent == 0) return true;
    if (__builtin_mul_overflow(base, base, &base)) return false;
  }
}

template <class C>
C fraction_modulo(C x, C y) {
  const C rest = std::fmod(x, y);
  if (rest == 0) return std::copysign(C{0}, y);
  return (rest < 0) != (y < 0) ? rest + y : rest;
}
template <class C>
C fraction_floor_divide(C x, C y) {
  if (y == 0) return x / y;
  const C rest = std::fmod(x, y);
  C near = (x - rest) / y;
  if (rest != 0 && (rest < 0) != (y < 0)) near -= 1;
  if (near == 0) return std::copysign(C{0}, x / y);
  // A whole number but for its rounding.
  const C whole = std::floor(near);
  return near - whole > C(0.5) ? whole + 1 : whole;
}

// False if `to` does not hold the result. `kRoom`: C holds all sums, differences and products.
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
    if constexpr (kChecked) return !__builtin_mul_overflow(x, y, &to);
    to = static_cast<C>(x * y);
  } else if constexpr (kWhat == divide || kWhat == floor_divide) {
    if constexpr (is_whole<C>) {
      if (y == C(-1)) return !__builtin_sub_overflow(C{0}, x, &to);
      to = whole_quotient(x, y);
      if (kWhat == floor_divide && (x < 0) != (y < 0) && whole_rest(x, y) != 0) --to;
    } else {
      to = kWhat == divide ? x / y : fraction_floor_divide(x, y);
    }
  } else if constexpr (kWhat == remainder) {
    if constexpr (is_whole<C>) {
      to = whole_rest(x, y);
    } else {
      to = std::fmod(x, y);
    }
  } else if constexpr (kWhat == modulo) {
    if constexpr (is_whole<C>) {
      to = whole_rest(x, y);
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
  }
  return true;
}

// A whole number of 64 bits and a fraction, either way.
template <class X, class Y>
std::partial_ordering order(X x, Y y) {
  if constexpr (is_whole<Y>) {
    const std::partial_ordering swapped = order(y, x);
    if (std::is_lt(swapped)) return std::partial_ordering::greater;
    return std::is_gt(swapped) ? std::partial_ordering::less : swapped;
  } else {
    if (y != y) return std::partial_ordering::unordered;
    if (y >= 0x1p64) return std::partial_ordering::less;
    if (y < -0x1p63) return std::partial_ordering::greater;
    const Y below = std::floor(y);
    const Wide near = static_cast<Wide>(below), number = static_cast<Wide>(x);
    if (number != near)
      return number < near ? std::partial_ordering::less : std::partial_ordering::greater;
    return below < y ? std::partial_ordering::less : std::partial_ordering::equivalent;
  }
}
// Exact, also between whole numbers and fractions.
template <NumberOperation kWhat, class X, class Y>
bool compare(X x, Y y) {
  using enum NumberOperation;
  if constexpr (is_whole<X> != is_whole<Y>) {
    const std::partial_ordering ordered = order(x, y);
    if constexpr (kWhat == less) return std::is_lt(ordered);
    if constexpr (kWhat == less_equal) return std::is_lteq(ordered);
    if constexpr (kWhat == greater) return std::is_gt(ordered);
    if constexpr (kWhat == greater_equal) return std::is_gteq(ordered);
    if constexpr (kWhat == equal) return std::is_eq(ordered);
    return std::is_neq(ordered);
  } else {
    if constexpr (kWhat == less) return x < y;
    if constexpr (kWhat == less_equal) return x <= y;
    if constexpr (kWhat == greater) return x > y;
    if constexpr (kWhat == greater_equal) return x >= y;
    if constexpr (kWhat == equal) return x == y;
    return x != y;
  }
}

// Converts the number to a To: fractions are cut off, and all numbers but 0 are true. Returns false
// if To does not hold it: a number that is too large for a whole type, NaN or infinity as a whole
// number, a finite number that would become infinite.
template <class To, class C>
bool fits(C x, To& to) {
  if constexpr (std::is_same_v<To, bool>) {
    to = x != C{};
  } else if constexpr (std::is_integral_v<To>) {
    if constexpr (is_whole<C>) {
      // An i8 is a number here, not a character.
      to = static_cast<To>(x);                               // NOLINT(bugprone-signed-char-misuse)
      return static_cast<Wide>(to) == static_cast<Wide>(x);  // NOLINT(bugprone-signed-char-misuse)
    } else {
      const C whole = std::trunc(x);
      // The least number that is too large: a power of two, which C holds exactly.
      const C beyond = std::ldexp(C{1}, std::numeric_limits<To>::digits);
      if (!(whole < beyond && whole >= (std::is_signed_v<To> ? -beyond : C{0}))) return false;
      to = static_cast<To>(whole);
    }
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

}  // namespace sluice::detail
