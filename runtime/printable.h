// printable: a file's name as messages show it. A name may hold any byte but '/' and 0, and what
// stands in it must neither break a line nor reach the terminal as a command.
//
// Control characters and bytes that are not UTF-8 become escapes: \n, \t, \r, or \x1b. Everything
// else stays as it is, so that what is printable already does not change. No state; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

std::string printable(std::string_view name);

}  // namespace sluice
