// Counts the allocations of a test program, and lets chosen ones fail.
//
// All calls of operator new in the process are counted and can fail. With Of::all, calls of malloc
// and realloc fail, too: those of libjpeg, for example. A sanitizer has its own malloc, so under
// one Of::all is the same as Of::operator_new.
//
// Threads: any number may allocate; one FailingAllocations lives at a time.
#pragma once

#include <cstdint>

namespace sluice::testing {

// Returns the number of calls of operator new so far.
std::uint64_t allocations();
// Returns the number of blocks of operator new that have not been deleted.
std::int64_t live_allocations();

// During its lifetime, `count` allocations in a row fail. The first of them is number `first`,
// counted from 1 since the construction.
class FailingAllocations {
 public:
  enum class Of : std::uint8_t { operator_new, all };
  explicit FailingAllocations(std::uint64_t first, std::uint64_t count = 1,
                              Of of = Of::operator_new);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;

  // True if an allocation has failed.
  static bool reached();
  // Ends the failures.
  static void stop();
};

}  // namespace sluice::testing
