// shortened: cuts the middle out of an error text that is too long to keep for each sample. The end
// of the text stays, because it says where the error was.
//
// No state; any thread. Errors: std::bad_alloc.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Returns a text of at most 8,500 bytes unchanged. A longer one keeps its first 6,000 and its last
// 2,000 bytes, cut between UTF-8 characters, and says how many bytes were left out.
std::string shortened(std::string_view text);

}  // namespace sluice
