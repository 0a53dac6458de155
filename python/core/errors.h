// Exceptions on their way between Python and the library.
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
// What a Python function throws in a step becomes the sample's error: its type, its words, and the
// places in the functions that were called, the innermost one first, but for this package's own.
// Threads: under Python's lock.
#pragma once

#include "object.h"
#include <sluice/sluice.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sluice::python {

void bind_errors(nb::module_& module);

// A dict of what is known of a sample's error.
nb::dict to_dict(const SampleError& error);
// Such a dict for each.
nb::list to_list(const std::vector<SampleError>& errors);

// "ValueError: no such file (load.py:12 in read, called from ...)".
std::string words_of(const nb::python_error& error);

// Which of Python's exceptions become EndOfEpoch.
enum class Ends { never, by_stop, by_stop_or_index };

// Calls f under Python's lock; what it throws in Python becomes an Error with its words, a
// BuildError one of C++. StopIteration, or IndexError too, become EndOfEpoch where `ends` says so.
void call_python(const std::function<void()>& f, Ends ends = Ends::never);

// What name_of(index) gives, for messages.
std::string name_by(const Function& name_of, std::int64_t index);

}  // namespace sluice::python
