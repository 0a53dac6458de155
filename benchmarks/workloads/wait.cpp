#include "benchmarks/workloads/wait.h"

#include <sluice/graph/pipeline.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace sluice::app {
namespace {

using Clock = std::chrono::steady_clock;
using Done = Completion<std::int64_t>;

// Completes each handle kWait after it was added. A ring is enough, because handles become due in
// order. It is destroyed after the run, when no handle is left.
class Timer {
 public:
  Timer() : ring_(kWaiting) { due_.reserve(kWaiting); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  void add(Done done, std::int64_t value) {
    const std::lock_guard lock(mutex_);
    Waiting& place = ring_[(first_ + count_) % ring_.size()];
    place = {Clock::now() + kWait, std::move(done), value};
    if (++count_ == 1) wake_.notify_one();
  }

 private:
  struct Waiting {
    Clock::time_point until;
    Done done;
    std::int64_t value = 0;
  };

  void run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      if (count_ == 0) {
        wake_.wait(lock);
        continue;
      }
      const Clock::time_point now = Clock::now();
      for (; count_ > 0 && ring_[first_].until <= now; --count_) {
        due_.push_back(std::move(ring_[first_]));
        first_ = (first_ + 1) % ring_.size();
      }
      if (due_.empty()) {
        wake_.wait_until(lock, ring_[first_].until);
        continue;
      }
      lock.unlock();
      for (Waiting& waiting : due_) waiting.done.set(waiting.value);
      due_.clear();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Waiting> ring_;  // never more handles than in flight
  std::size_t first_ = 0, count_ = 0;
  std::vector<Waiting> due_;  // used by the thread only
  bool stopping_ = false;
  std::thread thread_{[this] { run(); }};
};

}  // namespace

Subject make_wait_subject(SubjectOptions options) {
  options.window = kWaiting;
  return subject_of(options, [images = options.images](Graph& g) {
    auto id = g.source(images, [](const SampleInfo& info) { return info.index; });
    return g.map_async<std::int64_t>(
        "wait",
        [timer = std::make_shared<Timer>()](Done done, std::int64_t x) {
          timer->add(std::move(done), x);
        },
        id);
  });
}

}  // namespace sluice::app
