// error_of<E>(f): the message of the E that f() throws. If f() throws nothing, the test fails and
// the message is empty. Other exceptions propagate.
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
