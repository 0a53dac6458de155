// Case-insensitive text: file extensions, column names, HTTP fields. Only ASCII letters are folded,
// unless the program sets a locale. No state; any thread. Errors: std::bad_alloc.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace sluice {

inline std::string lower(std::string_view text) {
  std::string all(text);
  std::transform(all.begin(), all.end(), all.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return all;
}

inline bool equal_in_any_case(std::string_view one, std::string_view other) {
  return std::equal(
      one.begin(), one.end(), other.begin(), other.end(),
      [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

}  // namespace sluice
