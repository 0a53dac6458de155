// safe_path: a name from elsewhere, such as that of a file in an archive, as a relative path that
// stays below the folder that it is put in. No state, no errors.
#pragma once

#include <string>
#include <string_view>

namespace sluice::app {

// The parts between the slashes, without "..", "." and empty ones. What would be hidden begins with
// "_", control characters are "_", and what is too long is cut: a part to its last 200 bytes, the
// path to its last 1,000. Of what has no part left it is "_".
std::string safe_path(std::string_view name);

// The last 200 bytes of a part of a path, or fewer, so that no UTF-8 character is cut: names stay
// below what file systems allow.
std::string cut_name(std::string name);

}  // namespace sluice::app
