// Ring: a queue of bounded length, first in, first out, which takes memory only when it is made.
//
// Ownership: owns the values in it. Threads: guarded by its user. Errors: std::bad_alloc when it is
// made; push() beyond the capacity is not to be.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace sluice::detail {

template <class T>
class Ring {
 public:
  explicit Ring(std::size_t capacity) : items_(capacity) {}

  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  void clear() { count_ = 0; }

  void push(T item) {
    items_[(first_ + count_) % items_.size()] = std::move(item);
    ++count_;
  }
  // Gives what came first; false when there is nothing.
  bool pop(T& item) {
    if (count_ == 0) return false;
    item = std::move(items_[first_]);
    first_ = (first_ + 1) % items_.size();
    --count_;
    return true;
  }

 private:
  std::vector<T> items_;
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace sluice::detail
