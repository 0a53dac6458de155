// UsageError: invalid command-line arguments. The program prints what() as one line and exits with
// status 2. any_of lists names and counted says a number of things, in messages and help.
#pragma once

#include <sluice/runtime/error.h>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::app {

class UsageError : public Error {
 public:
  using Error::Error;
};

// Joins the names for people: "a, b or c".
inline std::string any_of(const std::vector<std::string>& names) {
  std::string text;
  std::size_t left = names.size();
  for (const std::string& name : names) {
    text += name;
    --left;
    if (left > 0) text += left == 1 ? " or " : ", ";
  }
  return text;
}

// "1 file", "120 files". `one` is a noun whose plural ends in -s.
template <std::integral Count>
std::string counted(Count count, std::string_view one) {
  std::string text = std::to_string(count);
  text.append(" ").append(one);
  return count == 1 ? text : text + "s";
}

}  // namespace sluice::app
