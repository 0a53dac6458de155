// Long runs. Progress shows on standard error how far a run is. Interruption lets Ctrl-C (SIGINT)
// and SIGTERM ask the program to stop soon.
//
// Ownership: each owns a thread. Errors: none. If no thread can be started, Progress draws nothing,
// and Interruption never calls `stop`.
#pragma once

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace sluice::app {

// For example "12 s", "5 min 12 s", "3 h 20 min".
std::string duration_in_words(double seconds);

// Shows the progress of a long run on standard error. On a terminal it redraws a bar. Otherwise it
// prints a line after a second, then at growing intervals, so that logs stay short. Runs below half
// a second print nothing. The rate and the remaining time only count the work of this run. Its
// thread draws even while nothing is done. Threads: add() and pass_over() from any, the rest from
// one.
class Progress {
 public:
  struct Done {
    std::int64_t items = 0;
    std::int64_t bytes = 0;
  };

  // `what` names one item ("image"), `total` is their number. Draws nothing if `shown` is false.
  Progress(std::string what, std::int64_t total, bool shown = true);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void add(std::int64_t done) { done_.fetch_add(done, std::memory_order_relaxed); }
  // This many of the total were done before this run.
  void pass_over(std::int64_t before) { before_.fetch_add(before, std::memory_order_relaxed); }
  // Calls `done` each time it draws, in place of add(), and shows the bytes, too. Only until
  // finish().
  void follow(std::function<Done()> done);
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
  std::function<Done()> follow_;
  std::thread thread_;
};

// While it exists, Ctrl-C and SIGTERM ask the program to stop soon instead of ending it at once. A
// second signal of the same kind ends it at once. A signal that the process already ignores, for
// example because of nohup, stays ignored. The destructor restores the signal handlers. Threads:
// one Interruption at a time; asked() from any thread.
class Interruption {
 public:
  // `stop` is called once, on a separate thread, when a signal has come.
  explicit Interruption(std::function<void()> stop);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  bool asked() const { return signal() != 0; }
  // The signal; 0 if there was none.
  int signal() const;

 private:
  struct sigaction interrupt_before_ {};
  struct sigaction terminate_before_ {};
  std::thread thread_;
};

}  // namespace sluice::app
