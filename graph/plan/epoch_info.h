// EpochInfo: what a dataset is told before an epoch asks it for samples. EpochHooks: how it is told
// so, and that the epoch is over; and what it tells of its workers.
//
// Ownership: a value; its function shares what it needs, and may be kept. Threads: the function may
// be called on any, several at once. Errors: it throws what an order of the user's throws, which is
// EndOfEpoch behind the end.
#pragma once

#include <sluice/graph/plan/worker_stats.h>
#include <sluice/runtime/sample_key.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <shared_mutex>
#include <utility>

namespace sluice {

struct EpochInfo {
  std::int64_t epoch = 0;
  // Position (SampleInfo::index_in_epoch) of the first sample that will be asked for: above 0 when
  // an epoch is resumed.
  std::int64_t first = 0;
  // No sample is asked for at this position or behind it; kUntilEnd where that is not known.
  std::int64_t samples = 0;
  // Positions that may be under way at once: when the one at p is asked for, those at p - window
  // and before have been delivered, or never will be asked for.
  std::int64_t window = 0;
  // Which sample stands at a position.
  std::function<SampleKey(std::int64_t position)> key = {};
};

namespace detail {

struct EpochHooks {
  std::function<void(const EpochInfo&)> begin;  // each may be empty
  std::function<void()> end;                    // throws nothing
  std::function<WorkerStats()> workers;         // of a step that has some
};

// Open between the beginning and the end of an epoch.
class EpochGate {
 public:
  void open() { open_ = true; }
  // Waits for those who are going through. They should take no time; for one that does, who may
  // wait for the end of the epoch, it does not wait for ever.
  void close() noexcept {
    open_ = false;
    if (mutex_.try_lock_for(std::chrono::seconds(5))) mutex_.unlock();
  }
  // Calls f() if it is open.
  template <class F>
  void pass(F&& f) const {
    const std::shared_lock lock(mutex_);
    if (open_) std::forward<F>(f)();
  }

 private:
  mutable std::shared_timed_mutex mutex_;
  std::atomic<bool> open_{false};
};

}  // namespace detail
}  // namespace sluice
