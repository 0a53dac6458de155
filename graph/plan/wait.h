// Wait: what a record keeps while its sample waits in a step, and CompletionHandle, by which
// somebody says that the wait is over.
//
// A wait is over when both have left it: the function of the step, which has begun it, and the
// handle, which was fired or destroyed. So what the function was given stays valid until it has
// returned and the handle is gone, and a sample is never lost to a function that throws after it
// gave the handle away. Whoever leaves last tells the listener, on its own thread.
//
// Ownership: refers to the sample, which does not go on, and whose pipeline does not go, before
// the handle is fired or destroyed. Threads: a handle may be fired and destroyed on any thread;
// of several that fire it at once one is the first. Errors: nothing is thrown; what giving a value
// throws becomes the sample's error.
#pragma once

#include <sluice/runtime/buffer_pool.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <string_view>

namespace sluice::detail {

class Sample;

class WaitListener {
 public:
  // The sample may go on. The listener may be gone as soon as it has been sent on.
  virtual void wait_is_over(Sample& sample) noexcept = 0;

 protected:
  ~WaitListener() = default;
};

struct Wait {
  using Clock = std::chrono::steady_clock;

  void begin(WaitListener& to, BufferPool& buffers) {
    listener = &to;
    pool = &buffers;
    thrown = nullptr;
    bytes_begun = bytes_given = 0;
    open.store(2, std::memory_order_relaxed);
  }
  // True for the one who leaves last.
  bool leave() { return open.fetch_sub(1, std::memory_order_acq_rel) == 1; }

  WaitListener* listener = nullptr;
  BufferPool* pool = nullptr;   // for what the sample takes of memory meanwhile
  std::exception_ptr thrown;    // by the step's function
  std::size_t bytes_begun = 0;  // that the function took
  std::size_t bytes_given = 0;  // that the value took
  Clock::time_point since;      // if the sample's steps are timed
  // Of a gather, see gathering.h: the part that the sample begins at, the one that it has stopped
  // at (0: none), how long its trail was when it came, and how many steps have been added for it.
  std::size_t from = 0;
  std::size_t stopped = 0;
  std::size_t arms_before = 0;
  std::size_t steps = 0;
  std::atomic<int> open{0};
};

class CompletionHandle {
 public:
  CompletionHandle() = default;
  explicit CompletionHandle(Sample& sample) : sample_(&sample) {}
  CompletionHandle(CompletionHandle&& other) noexcept : sample_(other.take()) {}
  CompletionHandle& operator=(CompletionHandle&& other) noexcept {
    if (this != &other) {
      drop();
      sample_.store(other.take(), std::memory_order_release);
    }
    return *this;
  }
  ~CompletionHandle() { drop(); }

  // Whether it can still be fired.
  explicit operator bool() const { return sample_.load(std::memory_order_acquire) != nullptr; }
  // Of one that can be fired, which a dataset was given: whether the epoch's own order does not ask
  // for its sample now. Then it stands in for one that failed, or Pipeline::inspect() looks at it.
  bool out_of_turn() const noexcept;

 protected:
  // Calls give(sample). False, and nothing is called, unless this is the first time.
  template <class Give>
  bool fire(const Give& give) noexcept {
    Sample* const sample = take();
    if (sample == nullptr) return false;
    give_to(*sample, std::cref(give));
    return true;
  }
  bool fire_error(std::string_view what) noexcept;
  bool fire_error(const std::exception_ptr& why) noexcept;
  bool fire_last_error(std::string_view what) noexcept;

 private:
  friend class StepScope;
  using GiveFunction = std::function<void(Sample&)>;  // of a reference: takes no memory
  static void give_to(Sample& sample, const GiveFunction& give) noexcept;
  static void leave(Sample& sample) noexcept;

  Sample* take() noexcept { return sample_.exchange(nullptr, std::memory_order_acq_rel); }
  void drop() noexcept;

  std::atomic<Sample*> sample_{nullptr};
};

}  // namespace sluice::detail
