// The operators of the builder itself: draws, constants, arithmetic and what else the functions of
// Graph and the operators on numbers stand for.
//
// Threads: any number at once. Nothing is thrown.
#pragma once

#include <sluice/graph/plan/operator.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace sluice::detail {

// Numbers of types that operators know; steps on others are functions of their own.
template <class T>
inline constexpr bool is_known_number =
    std::is_same_v<T, bool> || std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t> ||
    std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class T>
inline constexpr bool is_known_constant =
    is_known_number<T> || std::is_same_v<T, std::string> || std::is_same_v<T, Rectangle> ||
    std::is_same_v<T, std::vector<double>>;
// "i64"; empty for other types.
template <class T>
constexpr std::string_view known_number_name() {
  if (std::is_same_v<T, bool>) return "bool";
  if (std::is_same_v<T, std::int32_t>) return "i32";
  if (std::is_same_v<T, std::int64_t>) return "i64";
  if (std::is_same_v<T, float>) return "f32";
  if (std::is_same_v<T, double>) return "f64";
  return "";
}

const OperatorPtr& uniform_operator();    // (lo, hi)
const OperatorPtr& normal_operator();     // (mean, stddev)
const OperatorPtr& coin_flip_operator();  // (probability)
const OperatorPtr& draw_operator();       // apply_random's: (count) gives (chosen, negative)
const OperatorPtr& magnitude_operator();  // (negative, magnitude, low, high, signed, bins)
const OperatorPtr& constant_operator();   // (value)
const OperatorPtr& filter_operator();     // (predicate), no output
const OperatorPtr& cast_operator();       // (x, to), as cast<T>() does it
const OperatorPtr& convert_operator();    // (x, to), as parameters take values: nothing is lost
// "add", "subtract", ..., "less", "negate", "not": (x, y), or (x).
const OperatorPtr& arithmetic_operator(std::string_view name);

// All of them.
std::vector<OperatorPtr> built_in_operators();

}  // namespace sluice::detail
