// credit_pool: credits that several windows share, so that their graphs together use no more
// threads than the program allows. A credit is the right to work on one token, see window.h.
//
//   credit_pool pool(7);
//   credit_pool::share mine(pool);  // one for each window
//   if (mine.take()) { ...; mine.give(); }
//
// The pool is fair: a share that has at least two credits more than another one that wants some
// gets no more, and owes() tells it to give one back. A share wants credits from a take() in vain
// until its next take() or wants_none().
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
      pool_.free_ += used_;
      want(false);
      std::erase(pool_.shares_, this);
    }

    // Takes a credit if there is one for this share.
    bool take() {
      const std::lock_guard lock(pool_.mutex_);
      const bool may = pool_.free_ > 0 && !others_come_first(used_ + 1);
      want(!may);
      if (!may) return false;
      --pool_.free_;
      ++used_;
      return true;
    }
    void give() {
      const std::lock_guard lock(pool_.mutex_);
      ++pool_.free_;
      --used_;
    }
    void wants_none() {
      if (pool_.wanting_.load(std::memory_order_relaxed) == 0) return;
      const std::lock_guard lock(pool_.mutex_);
      want(false);
    }
    // True if this share should give a credit back.
    bool owes() const {
      if (pool_.wanting_.load(std::memory_order_relaxed) == 0) return false;
      const std::lock_guard lock(pool_.mutex_);
      return used_ > 0 && others_come_first(used_);
    }

   private:
    // These two are called under the lock.
    bool others_come_first(std::size_t mine) const {
      return std::any_of(pool_.shares_.begin(), pool_.shares_.end(), [&](const share* other) {
        return other != this && other->wants_ && other->used_ + 1 < mine;
      });
    }
    void want(bool now) {
      if (now == wants_) return;
      wants_ = now;
      pool_.wanting_.fetch_add(now ? 1 : std::size_t(-1), std::memory_order_relaxed);
    }

    credit_pool& pool_;
    std::size_t used_ = 0;
    bool wants_ = false;
  };

 private:
  std::mutex mutex_;  // guards all but wanting_
  std::size_t free_;
  std::vector<share*> shares_;
  std::atomic<std::size_t> wanting_{0};  // the shares that want credits
};

}  // namespace sluice::flow
