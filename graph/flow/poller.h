// poller: one thread that checks again and again if work outside is over, for example the events of
// a device's streams. So no other thread waits for it.
//
//   struct Copy : poller::watched { bool over() noexcept override { return query(event); } };
//   poller completions;  Copy copy;
//   completions.watch(copy);          // until over() returns true
//
// While something is watched, the thread checks all of it in turn: without a pause for a while
// after the last one was over, then with short pauses. While nothing is watched, it sleeps.
//
// Ownership: owns its thread; refers to what is watched, which must live until its over() has
// returned true. The destructor waits until nothing is watched. Memory: none beyond its own.
// Threads: watch() from any, also from over(). Errors: std::system_error if no thread can be made.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>

namespace sluice::flow {

class poller {
 public:
  class watched {
   public:
    watched() = default;
    watched(const watched&) = delete;
    watched& operator=(const watched&) = delete;
    // Called on the poller's thread; must not wait. After it has returned true it is not called
    // again, and the object may be destroyed, or watched again.
    virtual bool over() noexcept = 0;

   protected:
    ~watched() = default;

   private:
    friend class poller;
    watched* next_ = nullptr;
  };

  // The time that the thread has spent so far, in nanoseconds, and its number of rounds.
  struct spent {
    std::int64_t asking_ns = 0, pausing_ns = 0, asleep_ns = 0;
    std::int64_t rounds = 0;
  };

  poller() : thread_([this] { work(); }) {}
  poller(const poller&) = delete;
  poller& operator=(const poller&) = delete;
  ~poller() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    came_.notify_one();
    thread_.join();
  }

  void watch(watched& one) noexcept {
    {
      const std::lock_guard lock(mutex_);
      one.next_ = std::exchange(new_, &one);
    }
    came_.notify_one();
  }

  spent time() const {
    return {asking_.load(std::memory_order_relaxed), pausing_.load(std::memory_order_relaxed),
            asleep_.load(std::memory_order_relaxed), rounds_.load(std::memory_order_relaxed)};
  }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr clock::duration kBusy = std::chrono::microseconds(20);
  static constexpr clock::duration kPause = std::chrono::microseconds(20);

  void work() {
    watched* all = nullptr;
    clock::time_point begin = clock::now(), last_over = begin;
    const auto since = [&](std::atomic<std::int64_t>& sum) {
      const clock::time_point now = clock::now();
      sum.fetch_add(std::chrono::nanoseconds(now - begin).count(), std::memory_order_relaxed);
      begin = now;
    };
    while (take_new(all)) {
      since(asleep_);
      if (ask(all)) {
        last_over = begin;
      } else if (begin - last_over > kBusy) {
        since(asking_);
        std::this_thread::sleep_for(kPause);
        since(pausing_);
        continue;
      } else {
        std::this_thread::yield();
      }
      since(asking_);
    }
  }

  // Adds what was watched since the last call; waits for it if there is nothing else. Returns false
  // when the thread must end.
  bool take_new(watched*& all) {
    std::unique_lock lock(mutex_);
    if (all == nullptr) came_.wait(lock, [&] { return new_ != nullptr || stopping_; });
    while (new_ != nullptr) {
      watched* const one = new_;
      new_ = one->next_;
      one->next_ = std::exchange(all, one);
    }
    return all != nullptr;
  }

  // Keeps those in the list that are not over. Returns true if some were over.
  bool ask(watched*& all) {
    bool any = false;
    for (watched* one = std::exchange(all, nullptr); one != nullptr;) {
      watched* const next = one->next_;  // after it returns true, it may be gone or watched again
      if (one->over()) {
        any = true;
      } else {
        one->next_ = std::exchange(all, one);
      }
      one = next;
    }
    rounds_.fetch_add(1, std::memory_order_relaxed);
    return any;
  }

  std::mutex mutex_;
  std::condition_variable came_;
  watched* new_ = nullptr;
  bool stopping_ = false;
  std::atomic<std::int64_t> asking_{0}, pausing_{0}, asleep_{0}, rounds_{0};
  std::thread thread_;
};

}  // namespace sluice::flow
