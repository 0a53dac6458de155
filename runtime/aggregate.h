// How many fields a plain struct has, and a tuple of references to them, so that arms can return
// structs without any registration. Works for aggregates of up to 12 fields without base classes
// and without arrays as fields.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace sluice::detail {

// Stands for a value of any type where only the number of initialisers matters.
struct AnyField {
  template <class T>
  operator T() const;  // never defined: only its existence counts
};

template <class T, std::size_t... I>
constexpr bool takes_fields(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), AnyField{})...}; };
}

template <class T, std::size_t N = 12>
constexpr std::size_t field_count() {
  if constexpr (N == 0) {
    return 0;
  } else if constexpr (takes_fields<T>(std::make_index_sequence<N>())) {
    return N;
  } else {
    return field_count<T, N - 1>();
  }
}

// T may be const.
template <class T>
constexpr auto fields_of(T& x) {
  constexpr std::size_t n = field_count<std::remove_const_t<T>>();
  if constexpr (n == 1) {
    auto& [a] = x;
    return std::tie(a);
  } else if constexpr (n == 2) {
    auto& [a, b] = x;
    return std::tie(a, b);
  } else if constexpr (n == 3) {
    auto& [a, b, c] = x;
    return std::tie(a, b, c);
  } else if constexpr (n == 4) {
    auto& [a, b, c, d] = x;
    return std::tie(a, b, c, d);
  } else if constexpr (n == 5) {
    auto& [a, b, c, d, e] = x;
    return std::tie(a, b, c, d, e);
  } else if constexpr (n == 6) {
    auto& [a, b, c, d, e, f] = x;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (n == 7) {
    auto& [a, b, c, d, e, f, g] = x;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (n == 8) {
    auto& [a, b, c, d, e, f, g, h] = x;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (n == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = x;
    return std::tie(a, b, c, d, e, f, g, h, i);
  } else if constexpr (n == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (n == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (n == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  } else {
    return std::tie();
  }
}

// Converts to a base class of T only.
template <class T>
struct AnyBaseOf {
  template <class B>
  requires(std::is_base_of_v<B, T> && !std::is_same_v<B, T>) operator B() const;
};

// Whether initialiser `Before` of N is that of a whole field, and not of an array's element: empty
// braces then take the place of no other.
template <class T, std::size_t... Before, std::size_t... After>
constexpr bool takes_braces(std::index_sequence<Before...>, std::index_sequence<After...>) {
  return requires {
    T{(static_cast<void>(Before), AnyField{})..., {}, (static_cast<void>(After), AnyField{})...};
  };
}
template <class T, std::size_t... I>
constexpr bool each_is_a_field(std::index_sequence<I...>) {
  return (takes_braces<T>(std::make_index_sequence<I>(),
                          std::make_index_sequence<sizeof...(I) - 1 - I>()) &&
          ...);
}

// Whether fields_of() can be asked: an aggregate of 1 to 12 fields, none of them an array, without
// a base class.
template <class T>
constexpr bool has_known_fields() {
  if constexpr (!std::is_aggregate_v<T> || std::is_array_v<T> || std::is_union_v<T>) {
    return false;
  } else {
    constexpr std::size_t n = field_count<T>();
    return n > 0 && !requires { T{AnyBaseOf<T>{}}; }
    &&each_is_a_field<T>(std::make_index_sequence<n>()) &&
        !takes_braces<T>(std::make_index_sequence<n>(), std::index_sequence<>());
  }
}

}  // namespace sluice::detail
