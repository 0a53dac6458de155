// guarded(): runs work for a frame so that no exception gets out. What the work throws becomes the
// error of the frame's sample.
//
// Ownership: none. Threads: the task that carries the frame. Errors: nothing is thrown; where there
// is no memory to say what happened the sample ends without an error of its own.
#pragma once

#include <sluice/graph/frame.h>

#include <exception>

namespace sluice {

namespace detail {
template <class Name>
void fail(Frame& frame, const Name& name, const char* what) noexcept {
  try {
    frame.fail(name(), what);
  } catch (...) {
    frame.cancel();
  }
}
}  // namespace detail

// `name()` gives what the error names as the step; it is asked only when `work()` throws.
template <class Name, class Work>
void guarded(Frame& frame, const Name& name, const Work& work) noexcept {
  try {
    work();
  } catch (const std::exception& error) {
    detail::fail(frame, name, error.what());
  } catch (...) {
    detail::fail(frame, name, "threw something that is not a std::exception");
  }
}

}  // namespace sluice
