// Arithmetic rules: the types of results, and lossless number conversion. They apply to the numbers
// of a sample (graph/arithmetic.h) and to elements of tensors (ops/kernels/elementwise.h), in C++
// and in Python. docs/control-flow.md has them as a table.
//
// Types:
//   bool with another type        the other type
//   two bools                     i64; bool for bitwise operations
//   two integers                  the narrowest type that holds both; signed with u64: i64
//   an integer and a float        the floating-point type
//   two floats                    the wider type
//   a constant with a value       the value's type; but i64 with bool, and a floating-point
//                                 constant with an integer keeps its own type
//   comparisons                   bool: exact for all types
//
// Results: integer arithmetic is exact, and a result that does not fit its type is an error.
// Floating-point types follow IEEE 754; f16 is computed as float and rounded once.
//
// compute.h computes the values.
//
// Threads: pure functions. Errors: BuildError and std::out_of_range for a conversion that loses
// something.
#pragma once

#include <sluice/runtime/half.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace sluice::detail {

// Lossless number conversion. It applies to a constant that is combined with a Value of another
// type, and to an operator's parameter that gets a Value of another type.
//
//   bool                 converts to and from no other type
//   integer -> integer   if the type holds the number
//   integer -> floating  if the type holds the number exactly: up to 2^24 for float
//   floating -> floating rounded to nearest, as 0.1 is in `float x{0.1}`; a number that is too
//                        large does not convert
//   floating -> integer  only integral constants, and only as an operator's parameter

// True if a From may convert to a To at all.
template <class From, class To>
inline constexpr bool number_becomes =
    std::is_arithmetic_v<From>&& std::is_arithmetic_v<To>&& std::is_same_v<From, bool> ==
        std::is_same_v<To, bool> &&
    (std::is_floating_point_v<To> || std::is_integral_v<From>);

template <class X>
constexpr bool is_finite(X x) {
  return x - x == 0;
}
// max(Whole) + 1 as an X. It is a power of two, so X holds it exactly.
template <class X, class Whole>
inline constexpr X one_past_max = X{2} * static_cast<X>(std::numeric_limits<Whole>::max() / 2 + 1);

// Returns true if x converts to To by the rules above.
template <class To, class From>
bool is_number_of(From x) {
  if constexpr (std::is_same_v<From, To>) {
    return true;
  } else if constexpr (std::is_floating_point_v<From> && std::is_floating_point_v<To>) {
    return !is_finite(x) ||
           (x <= std::numeric_limits<To>::max() && x >= std::numeric_limits<To>::lowest());
  } else if constexpr (std::is_floating_point_v<From>) {
    constexpr From end = one_past_max<From, To>;
    return x < end && x >= (std::is_signed_v<To> ? -end : From{0}) &&
           static_cast<From>(static_cast<To>(x)) == x;
  } else if constexpr (std::is_floating_point_v<To>) {
    const To near = static_cast<To>(x);
    return near < one_past_max<To, From> && static_cast<From>(near) == x;
  } else {
    const To same = static_cast<To>(x);  // NOLINT(bugprone-signed-char-misuse): a number as well
    return static_cast<From>(same) == x && (x < From{}) == (same < To{});
  }
}

// Returns the shortest text that distinguishes the number: "10.5", "1e+30". Integers have all
// digits.
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

// The first throws BuildError, for a constant. The second throws std::out_of_range, for a value: it
// fails the sample.
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

// Integer types come in pairs of one size, the signed one first.
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

// Other integer types, such as char and long long, count as the type of their size and signedness.
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
  divide,        // integers: truncated toward zero
  remainder,     // of divide: has the sign of the left side
  floor_divide,  // rounded down
  modulo,        // of floor_divide: has the sign of the right side
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
  negate,  // unary from here on
  absolute,
  square_root,  // of whole numbers and bool: f32
  exponential,
  logarithm,  // natural
  logical_not
};
const char* name_of(NumberOperation what);

constexpr bool is_bitwise(NumberOperation what) {
  return what >= NumberOperation::bitwise_and && what <= NumberOperation::bitwise_xor;
}
constexpr bool is_comparison(NumberOperation what) {
  return what >= NumberOperation::less && what <= NumberOperation::not_equal;
}
// sqrt, exp and log.
constexpr bool is_real_function(NumberOperation what) {
  return what >= NumberOperation::square_root && what <= NumberOperation::logarithm;
}

// One operand. A constant takes the type of the value that it is combined with.
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
  if (is_real_function(what)) return is_fraction(a.type) ? a.type : NumberType::f32;
  return common_type(a, b);
}

}  // namespace sluice::detail
