// Converts text between Python's str and the library's bytes: UTF-8, and file names that may not be
// UTF-8.
//
// As in Python's os.fsdecode(), invalid UTF-8 bytes become lone surrogates in a str, and become the
// same bytes again. Threads: with the GIL held. Errors: std::invalid_argument for a str that does
// not represent bytes; the exceptions of Python's conversion of paths.
#pragma once

#include "object.h"

#include <string>
#include <string_view>

namespace sluice::python {

nb::str to_str(std::string_view text);
// Throws std::invalid_argument if a surrogate does not represent a byte.
std::string bytes_of(nb::handle str);
// For messages: surrogates are escaped, and objects other than a str are converted with str().
std::string message_of(nb::handle object);
// Accepts a str, bytes or os.PathLike.
std::string path_of(nb::handle path);

}  // namespace sluice::python
