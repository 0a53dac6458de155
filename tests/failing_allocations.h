// Allocations of a test program: they are counted, and chosen ones fail.
//
// Counted and failed are all calls of operator new in the process. With Of::all the calls of malloc
// and realloc fail, too: those of libjpeg, for example. A sanitizer has a malloc of its own, so
// that there Of::all is the same as Of::operator_new.
//
// Threads: any number may allocate; one FailingAllocations lives at a time.
#pragma once

#include <cstdint>

namespace sluice::testing {

// Calls of operator new so far.
std::uint64_t allocations();
// Blocks of operator new that have not been deleted.
std::int64_t live_allocations();

// While it lives, `count` allocations in a row fail: the first of them is number `first`, counted
// from 1 and from the beginning of its life.
class FailingAllocations {
 public:
  enum class Of : std::uint8_t { operator_new, all };
  explicit FailingAllocations(std::uint64_t first, std::uint64_t count = 1,
                              Of of = Of::operator_new);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;

  // Whether one has failed.
  static bool reached();
  // From here on none fails.
  static void stop();
};

}  // namespace sluice::testing
