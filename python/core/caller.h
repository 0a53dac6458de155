// Caller: runs calls that Ctrl-C can end.
#pragma once

#include <sluice/runtime/process.h>

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace sluice::python {

// Runs one call after another on its own thread. In a child of fork() run() throws Error.
class Caller {
 public:
  // `what` it is for, in that error.
  explicit Caller(const char* what) : what_(what) {}
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  ~Caller();
  bool in_creating_process() const { return fork_guard_.here(); }
  // Runs f on the thread and rethrows its exception. Meanwhile it calls `asked` every 50 ms with
  // the GIL held. If `asked` throws, it calls `stop`, waits for f, and rethrows that exception. The
  // caller must hold the GIL.
  void run(const std::function<void()>& f, const std::function<void()>& asked,
           const std::function<void()>& stop);

 private:
  void work();
  const char* const what_;
  const ForkGuard fork_guard_;  // a child of fork() does not have the thread
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* job_ = nullptr;
  std::exception_ptr error_;
  bool ends_ = false;
  std::thread thread_;
};

// For `asked`: throws if a signal's handler in Python has raised an exception.
void require_no_signal();

}  // namespace sluice::python
