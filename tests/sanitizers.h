// The sanitizer that the tests are built with.
#pragma once

namespace sluice::testing {

// The thread sanitizer adds a thread to each process, and a child of fork() inherits the locks that
// its other threads hold: tests of either are skipped there.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif
#if defined(__SANITIZE_MEMORY__)
inline constexpr bool kMemorySanitizer = true;
#else
inline constexpr bool kMemorySanitizer = false;
#endif

}  // namespace sluice::testing
