// Shutting down an engine that is let go of inside one of its own steps: a step cannot wait for its
// own end, and so a thread is made for it.
//
// Ownership: the thread takes the engine over. Threads: under Python's lock. Errors: where no
// thread can be made the engine is never shut down, which costs its memory.
#pragma once

#include <functional>

namespace sluice::python {

// Calls f on a thread of its own, without Python's lock. f throws nothing.
void do_elsewhere(std::function<void()> f) noexcept;

// Until all that was given to do_elsewhere() is done; lets others have Python's lock.
void wait_for_elsewhere();

}  // namespace sluice::python
