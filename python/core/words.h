// Rewrites messages of the library for Python: C++'s options, enumerators and types get Python's
// names.
//
// Threads: any. Errors: std::bad_alloc.
#pragma once

#include <string>

namespace sluice::python {

std::string in_python(std::string text);

}  // namespace sluice::python
