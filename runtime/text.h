// Text: letter case, escapes for messages, counts, and long errors.
//
// No state; any thread. Errors: std::bad_alloc.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace sluice {

// Case-insensitive text: file extensions, column names, HTTP fields. Only ASCII letters are folded,
// unless the program sets a locale.
std::string lower(std::string_view text);
bool equal_in_any_case(std::string_view one, std::string_view other);

// Returns the text without spaces, tabs and line ends around it.
std::string_view without_spaces(std::string_view text);

// Escapes a file's name for messages. A name may hold any byte but '/' and 0. It must neither break
// a line nor reach the terminal as a command.
//
// Control characters and bytes that are not UTF-8 become escapes: \n, \t, \r, or \x1b. Everything
// else stays as it is, so text that is printable already does not change.
std::string escape_control_chars(std::string_view name);

// Returns "1 file" or "120 files". The plural of the noun `one` ends in -s.
template <std::integral Count>
std::string counted(Count count, std::string_view one) {
  std::string text = std::to_string(count);
  text.append(" ").append(one);
  return count == 1 ? text : text + "s";
}

// Cuts the middle out of an error text that is too long to keep for each sample. The end of the
// text stays, because it says where the error was. Returns a text of at most 8,500 bytes unchanged.
// A longer one keeps its first 6,000 and its last 2,000 bytes, cut between UTF-8 characters, and
// says how many bytes were left out.
std::string shortened(std::string_view text);

}  // namespace sluice
