// shortened: cuts the middle out of an error text that is too long to keep for each sample. The end
// of the text stays, because it says where the error was.
//
// No state; any thread. Errors: std::bad_alloc.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// A text of at most 8,500 bytes as it is; of a longer one the first 6,000 and the last 2,000,
// between characters of UTF-8, and how many are left out.
std::string shortened(std::string_view text);

}  // namespace sluice
