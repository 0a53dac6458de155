// Which numbers become which without loss, where a constant stands beside a Value of another type
// and where an operator's parameter is given a Value of another type.
//
//   bool                 no other number, and no other number it
//   whole -> whole       a number that the type has
//   whole -> floating    a number that the type has exactly: up to 2^24 for float
//   floating -> floating rounded to nearest, as 0.1 is in `float x{0.1}`; a number that is too
//   large
//                        is none of the type
//   floating -> whole    constants that are whole numbers, and only as an operator's parameter
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace sluice::detail {

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

}  // namespace sluice::detail
