// Running: a pipeline that Python asks for batches.
//
// Waiting for a batch gives Python's lock to others, and Ctrl-C ends it: batches are taken by a
// thread of the pipeline's own, and the thread that asks looks for signals meanwhile.
//
// Ownership: a Running owns the engine; batches outlive it. close(), and its destructor, end what
// runs and wait for steps that are at work, without Python's lock. Threads: one at a time but for
// cancel() and stats(). Errors: those of Pipeline.
#pragma once

#include "object.h"
#include <sluice/runtime/process.h>
#include <sluice/sluice.h>

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace sluice::python {

// Does one call after the other on a thread of its own. In a child of fork() run() throws Error.
class Caller {
 public:
  Caller() = default;
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  ~Caller();
  bool at_home() const { return home_.here(); }
  // Runs f there; throws what f throws. While it runs, `asked` is called every now and then, under
  // Python's lock; what that throws is thrown once f has returned, after `stop` was called. The
  // caller has Python's lock.
  void run(const std::function<void()>& f, const std::function<void()>& asked,
           const std::function<void()>& stop);

 private:
  void work();
  const HomeProcess home_;  // a child of fork() has no such thread
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* job_ = nullptr;
  std::exception_ptr error_;
  bool ends_ = false;
  std::thread thread_;
};

class Running {
 public:
  Running(std::shared_ptr<detail::Engine> engine, std::vector<const detail::SlotType*> types);
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { close(); }

  // Throws Error when it has been closed.
  detail::Engine& engine() const;
  void close();
  bool closed() const { return engine_ == nullptr; }

  void begin_epoch();
  // A dict of what a batch is and has; None when the epoch is over.
  nb::object next();
  // Takes the batches of an epoch and lets go of them, as a program in C++ does; gives how many
  // samples were delivered. What the same loop in Python takes longer is Python's part.
  std::int64_t drain();
  void reset(std::int64_t epoch);
  void cancel() { engine().cancel(); }
  std::int64_t next_epoch() const { return next_epoch_; }
  nb::dict inspect(std::int64_t index, std::int64_t epoch) const;

 private:
  std::shared_ptr<detail::Engine> engine_;
  std::vector<const detail::SlotType*> types_;
  std::shared_ptr<detail::Run> run_;
  std::int64_t next_epoch_ = 0;
  std::shared_ptr<Caller> caller_;  // next() keeps it while it waits
};

}  // namespace sluice::python
