// RingBuffer: a first-in, first-out queue of bounded length that allocates only in its constructor.
//
// Ownership: owns the values in it. Threads: guarded by its user. Errors: std::bad_alloc from the
// constructor; never push() beyond the capacity.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace sluice::detail {

template <class T>
class RingBuffer {
 public:
  explicit RingBuffer(std::size_t capacity) : items_(capacity) {}

  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  void clear() { count_ = 0; }

  void push(T item) {
    items_[(first_ + count_) % items_.size()] = std::move(item);
    ++count_;
  }
  // Takes the oldest item; returns false if there is none.
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
