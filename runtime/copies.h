// copies<T>: whether a T can really be copied. The standard library's containers, optionals and the
// like say that they can whatever they hold, and do not compile when somebody tries; so this looks
// at what they hold. Of structs it takes the compiler's word.
#pragma once

#include <sluice/runtime/own.h>

#include <type_traits>

namespace sluice::detail {

template <class T>
constexpr bool copies();

template <class T>
struct all_parts_copy : std::true_type {};
template <template <class...> class Holder, class... Parts>
struct all_parts_copy<Holder<Parts...>>
    : std::bool_constant<(copies<std::remove_const_t<Parts>>() && ...)> {};

template <class T>
constexpr bool copies() {
  if constexpr (!std::is_copy_constructible_v<T> || !std::is_copy_assignable_v<T>) {
    return false;
  } else if constexpr (is_product<T> || is_variant<T> || is_optional<T>) {
    return all_parts_copy<T>::value;
  } else if constexpr (container<T>) {
    using Part = std::remove_const_t<typename T::value_type>;
    if constexpr (std::is_same_v<Part, T>) {
      return true;
    } else if constexpr (is_product<Part>) {
      return all_parts_copy<Part>::value;  // of a map: a pair with a constant key
    } else {
      return copies<Part>();
    }
  } else {
    return true;
  }
}

}  // namespace sluice::detail
