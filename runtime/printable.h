// printable(): escapes a file's name for messages. A name may hold any byte but '/' and 0. It must
// neither break a line nor reach the terminal as a command.
//
// Control characters and bytes that are not UTF-8 become escapes: \n, \t, \r, or \x1b. Everything
// else stays as it is, so text that is printable already does not change. No state; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

std::string printable(std::string_view name);

}  // namespace sluice
