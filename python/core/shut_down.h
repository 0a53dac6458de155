// do_elsewhere: shuts an engine down on another thread. It is needed if the engine is released
// inside one of its own steps, since a step cannot wait for itself.
//
// Ownership: the thread takes the engine over. Threads: with the GIL held. Errors: none; if no
// thread can be started, the engine is never shut down, which leaks its memory.
#pragma once

#include <functional>

namespace sluice::python {

// Calls f on a separate thread, without the GIL. f must not throw.
void do_elsewhere(std::function<void()> f) noexcept;

// Waits until all functions passed to do_elsewhere() are done; releases the GIL meanwhile.
void wait_for_elsewhere();

}  // namespace sluice::python
