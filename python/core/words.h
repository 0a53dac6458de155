// Messages of the library in Python's words: they name C++'s options, enumerators and types.
//
// Threads: any. Errors: std::bad_alloc.
#pragma once

#include <string>

namespace sluice::python {

std::string in_python(std::string text);

}  // namespace sluice::python
