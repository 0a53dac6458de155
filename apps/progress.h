// Progress: how far a long run has come. On a terminal a bar that is drawn over and over; otherwise
// a line now and then, a dozen at most, so that logs stay short. Writes to standard error, and
// nothing at all for runs below half a second.
//
// Threads: one. No errors.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace sluice::app {

class Progress {
 public:
  // `what` is counted ("images"), `total` of them.
  Progress(std::string what, std::int64_t total);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::int64_t done);
  // Leaves the terminal's line as it was.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  std::int64_t total_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

}  // namespace sluice::app
