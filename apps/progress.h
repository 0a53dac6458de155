// Progress: shows the progress of a long run on standard error. On a terminal it redraws a bar.
// Otherwise it prints a line after a second, then at growing intervals, so that logs stay short.
// Runs below half a second print nothing.
//
// The rate and the remaining time only count the work of this run.
//
// Ownership: owns a thread, which draws even while nothing is done. Threads: add() and pass_over()
// from any, the rest from one. Errors: none; if no thread can be started, nothing is drawn.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace sluice::app {

// For example "12 s", "5 min 12 s", "3 h 20 min".
std::string duration_in_words(double seconds);

class Progress {
 public:
  // `what` names the items ("images"), `total` is their number. Draws nothing if `shown` is false.
  Progress(std::string what, std::int64_t total, bool shown = true);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void add(std::int64_t done) { done_.fetch_add(done, std::memory_order_relaxed); }
  // This many of the total were done before this run.
  void pass_over(std::int64_t before) { before_.fetch_add(before, std::memory_order_relaxed); }
  // Clears the terminal's line and stops drawing.
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
