// Translates exceptions between Python and the library.
//
// | in C++      | in Python                                                       |
// |-------------|-----------------------------------------------------------------|
// | Error       | sluice.Error, a RuntimeError                                    |
// | BuildError  | sluice.BuildError, an Error and a ValueError                    |
// | BatchError  | sluice.BatchError, an Error, with `errors` and `batch`          |
// | BudgetError | sluice.BudgetError, an Error                                    |
// | StallError  | sluice.StallError, an Error                                     |
// | IoError     | sluice.IoError, an Error and an OSError                         |
// | JpegError   | sluice.JpegError, an Error and a ValueError                     |
// | DeviceError | sluice.DeviceError, an Error                                    |
//
// An exception of a Python function in a step becomes the sample's error, a text that
// sluice/_errors.py makes. Threads: with the GIL held.
#pragma once

#include "object.h"
#include <sluice/runtime/error.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sluice::python {

void bind_errors(nb::module_& module);

// Returns a sample's error as a dict.
nb::dict to_dict(const SampleError& error);
// Returns such a dict for each error.
nb::list to_list(const std::vector<SampleError>& errors);

// "ValueError: no such file (load.py:12 in read, called at ...); caused by KeyError: ...".
std::string words_of(const nb::python_error& error);

// The Python exceptions that become EndOfEpoch.
enum class Ends { never, by_stop, by_stop_or_index };

// Calls f with the GIL held. A Python exception becomes an Error with its text, and a Python
// BuildError a C++ one. StopIteration, or also IndexError, becomes EndOfEpoch if `ends` says so.
void call_python(const std::function<void()>& f, Ends ends = Ends::never);

// Returns name_of(index), for messages.
std::string name_by(const Function& name_of, std::int64_t index);

}  // namespace sluice::python
