// Tally: what one record has counted: which arms it took, how often loops went round, how often
// steps ran and how long they took. A plan numbers the counters of its parts (the pass `number`);
// every record of a pipeline has all of them, and whoever asks adds them up. So counting never
// waits for another thread.
//
// Ownership: owns its counters, for as long as the record lives: they go on from epoch to epoch.
// Threads: add() by the task that carries the record; the rest from any thread, at any time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace sluice::detail {

using CounterId = std::uint32_t;

class Tally {
 public:
  // Counts nothing.
  Tally() = default;
  // Counters 0 to count - 1. `timed`: steps are counted and timed, too.
  Tally(CounterId count, bool timed)
      : lines_(count > 0 ? std::make_unique<Line[]>((count + kPerLine - 1) / kPerLine) : nullptr),
        count_(count),
        timed_(timed) {}

  bool timed() const { return timed_; }
  void add(CounterId counter, std::int64_t amount) {
    if (lines_ == nullptr) return;
    // There is one writer, so that nothing is lost between the load and the store.
    Counter& c = lines_[counter / kPerLine].counters[counter % kPerLine];
    c.store(c.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  void add_to(std::vector<std::int64_t>& sums) const {
    for (CounterId i = 0; i < count_; ++i) {
      const Counter& c = lines_[i / kPerLine].counters[i % kPerLine];
      sums[i] += c.load(std::memory_order_relaxed);
    }
  }

 private:
  using Counter = std::atomic<std::int64_t>;
  static constexpr std::size_t kPerLine = 8;
  // Frames are at work on different threads: no two of them share a cache line.
  struct alignas(64) Line {
    std::array<Counter, kPerLine> counters{};
  };

  std::unique_ptr<Line[]> lines_;
  CounterId count_ = 0;
  bool timed_ = false;
};

}  // namespace sluice::detail
