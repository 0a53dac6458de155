// Interruption: while it lives, Ctrl-C (SIGINT) and SIGTERM are a wish to end soon, and no longer
// the end at once. The same signal a second time is. A signal that the process ignores from the
// beginning, as one that nohup has started, stays ignored.
//
// Threads: one Interruption at a time; asked() from any thread. Where no thread can be made for it,
// `stop` is never called, and asked() is all there is. No errors.
#pragma once

#include <csignal>
#include <functional>
#include <thread>

namespace sluice::app {

class Interruption {
 public:
  // `stop` is called once, on a thread of its own, when a signal has come.
  explicit Interruption(std::function<void()> stop);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  bool asked() const { return signal() != 0; }
  // Which signal it was; 0 when there was none.
  int signal() const;

 private:
  struct sigaction interrupt_before_ {};
  struct sigaction terminate_before_ {};
  std::thread thread_;
};

}  // namespace sluice::app
