// Progress: how far a long run has come. On a terminal a bar that is drawn over and over; otherwise
// a line after a second, then further and further apart, a dozen at most, so that logs stay short.
// Writes to standard error, and nothing at all for runs below half a second.
//
// The rate, and the time that is left, are those of what this run does.
//
// A thread of its own draws, so that it shows also that nothing has been done yet. Threads: add()
// and pass_over() from any, the rest from one. No errors: where no thread can be made, nothing is
// drawn.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace sluice::app {

// "12 s", "5 min 12 s", "3 h 20 min".
std::string duration_in_words(double seconds);

class Progress {
 public:
  // `what` is counted ("images"), `total` of them. Where it is not `shown`, nothing is drawn.
  Progress(std::string what, std::int64_t total, bool shown = true);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void add(std::int64_t done) { done_.fetch_add(done, std::memory_order_relaxed); }
  // So many of the total were done before, in no time of this run's.
  void pass_over(std::int64_t before) { before_.fetch_add(before, std::memory_order_relaxed); }
  // Leaves the terminal's line as it was; nothing is drawn any more.
  void finish();

 private:
  void draw_until_finished();
  void draw(double elapsed);

  const std::string what_;
  const std::int64_t total_;
  const bool terminal_;
  std::atomic<std::int64_t> done_{0};
  std::atomic<std::int64_t> before_{0};
  bool drawn_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool finished_ = false;
  std::thread thread_;
};

}  // namespace sluice::app
