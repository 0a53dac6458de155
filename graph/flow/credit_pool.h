// credit_pool: credits that several windows share, so that their graphs together use no more
// threads than the program allows. A credit is the right to work on one token, see window.h.
//
//   credit_pool pool(7);
//   credit_pool::share mine(pool);  // one for each window
//   if (mine.take()) { ...; mine.give(); }
//
// After a failed take(), a share counts as waiting until a take() succeeds or stop_waiting() is
// called. The pool is fair: take() fails if a waiting share has fewer credits, and must_return() is
// true if a waiting share has at least two fewer.
//
// Ownership: the shares refer to the pool, which outlives them. Threads: all functions from any.
// Errors: the constructor of a share throws std::bad_alloc.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

namespace sluice::flow {

class credit_pool {
 public:
  explicit credit_pool(std::size_t credits) : free_(credits) {}
  credit_pool(const credit_pool&) = delete;
  credit_pool& operator=(const credit_pool&) = delete;

  class share {
   public:
    explicit share(credit_pool& of) : pool_(of) {
      const std::lock_guard lock(pool_.mutex_);
      pool_.shares_.push_back(this);
    }
    share(const share&) = delete;
    share& operator=(const share&) = delete;
    ~share() {
      const std::lock_guard lock(pool_.mutex_);
      pool_.free_ += held_;
      set_waiting(false);
      std::erase(pool_.shares_, this);
    }

    // Takes a credit if there is one for this share.
    bool take() {
      const std::lock_guard lock(pool_.mutex_);
      const bool may = pool_.free_ > 0 && !another_waits_below(held_);
      set_waiting(!may);
      if (!may) return false;
      --pool_.free_;
      ++held_;
      return true;
    }
    void give() {
      const std::lock_guard lock(pool_.mutex_);
      ++pool_.free_;
      --held_;
    }
    void stop_waiting() {
      if (pool_.waiting_.load(std::memory_order_relaxed) == 0) return;
      const std::lock_guard lock(pool_.mutex_);
      set_waiting(false);
    }
    // True if this share should give a credit back.
    bool must_return() const {
      if (pool_.waiting_.load(std::memory_order_relaxed) == 0) return false;
      const std::lock_guard lock(pool_.mutex_);
      return held_ > 1 && another_waits_below(held_ - 1);
    }

   private:
    // These two are called under the lock.
    bool another_waits_below(std::size_t credits) const {
      return std::any_of(pool_.shares_.begin(), pool_.shares_.end(), [&](const share* other) {
        return other != this && other->waits_ && other->held_ < credits;
      });
    }
    void set_waiting(bool now) {
      if (now == waits_) return;
      waits_ = now;
      pool_.waiting_.fetch_add(now ? 1 : -1, std::memory_order_relaxed);
    }

    credit_pool& pool_;
    std::size_t held_ = 0;
    bool waits_ = false;
  };

 private:
  std::mutex mutex_;  // guards all but waiting_, and the members of the shares
  std::size_t free_;
  std::vector<share*> shares_;
  std::atomic<int> waiting_{0};  // the number of shares that wait
};

}  // namespace sluice::flow
