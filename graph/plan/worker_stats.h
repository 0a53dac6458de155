// WorkerStats: what the worker processes of a step have done.
//
// Ownership: none. Threads: a value. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice {

struct WorkerStats {
  int workers = 0;             // that were asked for
  int ready = 0;               // of these, at work, or could be
  std::int64_t samples = 0;    // that they have given
  std::int64_t restarts = 0;   // of workers that had ended, against WorkerOptions::restarts
  std::int64_t renewals = 0;   // of workers that had made WorkerOptions::renew_after samples
  std::size_t bytes_held = 0;  // of values in shared memory that somebody uses
};

}  // namespace sluice
