// Interruption: while it exists, Ctrl-C (SIGINT) and SIGTERM ask the program to stop soon instead
// of ending it at once. A second signal of the same kind ends it at once. A signal that the process
// already ignores, for example because of nohup, stays ignored.
//
// Ownership: owns its thread and restores the signal handlers. Threads: one Interruption at a time;
// asked() from any thread. Errors: none; if no thread can be started, `stop` is never called, but
// asked() works.
#pragma once

#include <csignal>
#include <functional>
#include <thread>

namespace sluice::app {

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
