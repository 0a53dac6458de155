// A whole number or an enumerator of any type as a std::int64_t. Pure functions.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace sluice::detail {

// A count: one that does not fit is as many as there can be.
template <class T>
constexpr std::int64_t to_count(const T& number) {
  if constexpr (std::is_enum_v<T>) {
    return to_count(static_cast<std::underlying_type_t<T>>(number));
  } else {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    if constexpr (std::is_unsigned_v<T> && sizeof(T) >= sizeof(kMost)) {
      if (number > static_cast<T>(kMost)) return kMost;
    }
    return static_cast<std::int64_t>(number);
  }
}

}  // namespace sluice::detail
