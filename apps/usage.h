// UsageError: invalid command-line arguments. The program prints what() as one line and exits with
// status 2. For messages, any_of() joins names and suggestion() finds similar names.
#pragma once

#include <sluice/runtime/error.h>
#include <sluice/runtime/text.h>

#include <cstddef>
#include <string>
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

// Returns "; did you mean rotate or resize?": up to three of `names` that are similar to `name`.
// Names that contain it come first, except for a single letter. Dashes in front do not count. Empty
// if no name is similar.
std::string suggestion(const std::string& name, const std::vector<std::string>& names);

}  // namespace sluice::app
