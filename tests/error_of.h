// error_of<E>(f): what f() says when it throws an E; a failure of the test, and nothing, when it
// throws none. What else it throws passes.
#pragma once

#include <string>

#include <gtest/gtest.h>

namespace sluice {

template <class E, class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace sluice
