// How much of a long test is done. One that goes through very many cases takes one in so many of
// them, and fewer under a sanitizer, which makes it many times as slow; with SLUICE_THOROUGH set,
// as `scripts/test --nightly` sets it, it takes them all.
#pragma once

#include "tests/sanitizers.h"

#include <cstdlib>

namespace sluice::testing {

// One case in `usual`, or in `sanitized` under a sanitizer, is to be taken; both are at least 1.
inline int one_in(int usual, int sanitized) {
  if (std::getenv("SLUICE_THOROUGH") != nullptr) return 1;
  return kAddressSanitizer || kThreadSanitizer ? sanitized : usual;
}

}  // namespace sluice::testing
