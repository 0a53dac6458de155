// JpegError: a file that cannot be decoded, or a picture that cannot be encoded. what() says the
// reason in words for a person, with numbers, but not the name of the file: that is known to the
// caller only, who adds it.
#pragma once

#include <sluice/runtime/error.h>

namespace sluice {

class JpegError : public Error {
 public:
  using Error::Error;
};

}  // namespace sluice
