// Stand-ins for the parts of C++20 that the sources use and libc++ lacks. The build for the memory
// sanitizer includes this header in front of each source. Each part is left out if libc++ has it.
#pragma once

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <type_traits>

// NOLINTBEGIN(cert-dcl58-cpp): the names are those of the standard library.
namespace std {

#if !defined(__cpp_lib_smart_ptr_for_overwrite) && _LIBCPP_VERSION < 16000
template <class T>
requires(!is_array_v<T>) unique_ptr<T> make_unique_for_overwrite() { return unique_ptr<T>(new T); }
template <class T>
requires is_unbounded_array_v<T> unique_ptr<T> make_unique_for_overwrite(size_t size) {
  return unique_ptr<T>(new remove_extent_t<T>[size]);
}
#endif

#if _LIBCPP_VERSION < 15000
namespace ranges {
template <class A, class B>
constexpr bool equal(A&& a, B&& b) {
  return std::equal(ranges::begin(a), ranges::end(a), ranges::begin(b), ranges::end(b));
}
}  // namespace ranges
#endif

#if _LIBCPP_VERSION < 200000
// Takes plain decimal numbers, as from_chars does. Programs must not set another locale.
template <class T>
requires is_floating_point_v<T> from_chars_result from_chars(const char* first, const char* last,
                                                             T& value) {
  const char* end = first;
  if (end != last && *end == '-') ++end;
  const auto digits = [&] {
    const char* begin = end;
    while (end != last && *end >= '0' && *end <= '9') ++end;
    return end != begin;
  };
  bool number = digits();
  if (end != last && *end == '.') {
    ++end;
    number = digits() || number;
  }
  if (!number) return {first, errc::invalid_argument};
  if (end != last && (*end == 'e' || *end == 'E')) {
    const char* mantissa = end++;
    if (end != last && (*end == '-' || *end == '+')) ++end;
    if (!digits()) end = mantissa;
  }
  const string text(first, end);
  errno = 0;
  T read;
  if constexpr (is_same_v<T, float>) {
    read = strtof(text.c_str(), nullptr);
  } else {
    read = strtod(text.c_str(), nullptr);
  }
  if (errno == ERANGE) return {end, errc::result_out_of_range};
  value = read;
  return {end, errc()};
}
#endif

}  // namespace std
// NOLINTEND(cert-dcl58-cpp)
