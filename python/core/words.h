// in_python: rewrites messages of the library for Python: replaces the names of C++ options,
// enumerators and types by Python's.
//
// Threads: any. Errors: std::bad_alloc.
#pragma once

#include <string>

namespace sluice::python {

std::string in_python(std::string text);

}  // namespace sluice::python
