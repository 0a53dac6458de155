// UsageError: the command line asks for something that cannot be. The program prints what() as one
// line and exits with status 2.
#pragma once

#include <sluice/runtime/error.h>

namespace sluice::app {

class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace sluice::app
