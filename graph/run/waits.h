// Waits: measures how long the consumer waited for batches, and complete batches for the consumer.
// Internal.
//
// Ownership: owns its counts. Threads: the engine's lock guards it. No errors.
#pragma once

#include <sluice/graph/stats.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace sluice::detail {

class Waits {
 public:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;

  void restart() { epoch_ = {}; }

  // The consumer asked for a batch at `asked` and got it at `got`; the batch was complete at
  // `completed`. Time in which the consumer was receiving the previous batch does not count as a
  // batch's wait.
  void taken(Time asked, Time got, Time completed) {
    const WaitStats one{between(asked, got), between(std::max(completed, returned_), asked)};
    epoch_ += one;
    total_ += one;
  }
  // Called when the consumer leaves with its batch.
  void returned(Time now) { returned_ = now; }

  const WaitStats& epoch() const { return epoch_; }
  const WaitStats& total() const { return total_; }

 private:
  static std::int64_t between(Time from, Time to) {
    if (to <= from) return 0;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count();
  }

  WaitStats epoch_;
  WaitStats total_;
  Time returned_;
};

}  // namespace sluice::detail
