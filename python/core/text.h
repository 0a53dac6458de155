// Text on its way between Python and the library, which has bytes: UTF-8, and names of files that
// need not be.
//
// As in Python's own os.fsdecode(), bytes that are no UTF-8 are lone surrogates in a str, and
// become the same bytes again. Threads: under Python's lock. Errors: std::invalid_argument for a
// str that stands for no bytes; what Python's conversion of paths raises.
#pragma once

#include "object.h"

#include <string>
#include <string_view>

namespace sluice::python {

nb::str to_str(std::string_view text);
// Throws std::invalid_argument where a surrogate stands for no byte.
std::string bytes_of(nb::handle str);
// For messages: surrogates are written as escapes. Of anything that is no str, what str() gives.
std::string message_of(nb::handle object);
// A str, bytes or os.PathLike.
std::string path_of(nb::handle path);

}  // namespace sluice::python
