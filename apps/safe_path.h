// safe_path: turns an untrusted name, such as that of a file in an archive, into a relative path
// that cannot leave its folder. Threads: any; no state. Errors: none.
#pragma once

#include <string>
#include <string_view>

namespace sluice::app {

// Keeps the parts between slashes, without "..", "." and empty ones. A leading "." of a part and
// control characters become "_". Long names are truncated at the front: a part to its last 200
// bytes, the path to the last parts that fit in 1,000 bytes. If nothing is left, returns "_".
std::string safe_path(std::string_view name);

// The last 200 bytes of a part of a path, or slightly fewer so that no UTF-8 character is cut. File
// systems limit the length of names.
std::string cut_name(std::string name);

}  // namespace sluice::app
