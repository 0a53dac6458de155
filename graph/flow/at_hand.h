// at_hand: a small queue of tokens that a thread keeps for itself, and from which other threads may
// take. Internal to window.
//
// Ownership: holds copies of the tokens. Threads: all functions from any. No errors.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

#include <tbb/spin_mutex.h>

namespace sluice::flow {

template <class Token>
class at_hand {
 public:
  static constexpr std::size_t kMost = 16;

  bool empty() {
    const std::lock_guard lock(mutex_);
    return begin_ == end_;
  }
  bool pop(Token& token) {
    const std::lock_guard lock(mutex_);
    if (begin_ == end_) return false;
    token = tokens_[begin_++];
    return true;
  }
  // Call it at most kMost times since the queue was empty.
  void push(const Token& token) {
    const std::lock_guard lock(mutex_);
    if (begin_ == end_) begin_ = end_ = 0;
    tokens_[end_++] = token;
  }

 private:
  tbb::spin_mutex mutex_;
  std::array<Token, kMost> tokens_{};
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace sluice::flow
