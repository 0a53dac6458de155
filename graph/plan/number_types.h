// The types of numbers that plans know by name: what a saved plan may say of a slot or a constant,
// and what operators on numbers take. Pure functions.
#pragma once

#include <sluice/runtime/half.h>

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace sluice::detail {

// Calls visit(std::type_identity<T>(), name) with each of them.
template <class Visit>
constexpr void for_each_number_type(Visit&& visit) {
  visit(std::type_identity<bool>(), "bool");
  visit(std::type_identity<std::int8_t>(), "i8");
  visit(std::type_identity<std::uint8_t>(), "u8");
  visit(std::type_identity<std::int16_t>(), "i16");
  visit(std::type_identity<std::uint16_t>(), "u16");
  visit(std::type_identity<std::int32_t>(), "i32");
  visit(std::type_identity<std::uint32_t>(), "u32");
  visit(std::type_identity<std::int64_t>(), "i64");
  visit(std::type_identity<std::uint64_t>(), "u64");
  visit(std::type_identity<Half>(), "f16");
  visit(std::type_identity<float>(), "f32");
  visit(std::type_identity<double>(), "f64");
}

// "i64"; empty for other types.
template <class T>
constexpr std::string_view known_number_name() {
  std::string_view found;
  for_each_number_type([&]<class Number>(std::type_identity<Number>, std::string_view name) {
    if (std::is_same_v<T, Number>) found = name;
  });
  return found;
}
// Steps on numbers of other types are functions of their own.
template <class T>
inline constexpr bool is_known_number = !known_number_name<T>().empty();

// The number as C++ computes with it.
template <class T>
constexpr auto plain(const T& x) {
  if constexpr (std::is_same_v<T, Half>) {
    return static_cast<float>(x);
  } else {
    return x;
  }
}

}  // namespace sluice::detail
