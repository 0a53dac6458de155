// The share of a long test that runs. A test of very many cases takes one in so many of them. It
// takes fewer under a sanitizer, which makes it many times as slow. With SLUICE_THOROUGH set, as
// `scripts/test --nightly` sets it, it takes them all.
#pragma once

#include "tests/sanitizers.h"

#include <cstdlib>

namespace sluice::testing {

// Returns n if a test shall take one case in n: `usual`, or `sanitized` under a sanitizer. Both are
// at least 1.
inline int one_in(int usual, int sanitized) {
  if (std::getenv("SLUICE_THOROUGH") != nullptr) return 1;
  return kAddressSanitizer || kThreadSanitizer || kMemorySanitizer ? sanitized : usual;
}

}  // namespace sluice::testing
