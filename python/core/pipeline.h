// Running: a pipeline that Python asks for batches.
//
// Waiting for a batch gives Python's lock to others, and Ctrl-C ends it: batches are taken by a
// thread of the pipeline's own, and the thread that asks looks for signals meanwhile.
//
// Ownership: a Running owns the engine; batches outlive it. close(), and its destructor, end what
// runs and wait for steps that are at work, without Python's lock. Where the last reference goes
// inside one of the pipeline's own steps, another thread does so. Threads: one at a time but for
// cancel() and stats(), and close(); a second thread that asks for batches gets an Error, and a new
// epoch or reset() ends the loop of another thread. Errors: those of Pipeline.
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

// One run through an epoch, for the loop that began it.
struct EpochRun {
  struct State {
    std::shared_ptr<detail::Run> run;
    std::int64_t epoch = 0;
    bool over = false;
    std::string ended_by;     // the call that ended it before its last batch
    nb::object last;          // the batch that was given last
    bool given_back = false;  // and is to be given again
  };
  std::shared_ptr<State> state;
};

class Running {
 public:
  Running(std::shared_ptr<detail::Engine> engine, std::vector<const detail::SlotType*> types,
          std::shared_ptr<Kept> kept);
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();

  // Throws Error when it has been closed.
  detail::Engine& engine() const;
  // Throws Error inside a step of its own, which it would wait for. `why` is what later calls say.
  void close(const std::string& why);
  bool closed() const { return engine_ == nullptr; }
  // Until all threads but this one have left the calls that they were in when it was closed.
  void wait_for_others() const;
  // For Python's garbage collector.
  int traverse(visitproc visit, void* arg) const {
    return kept_ == nullptr ? 0 : kept_->traverse(visit, arg);
  }
  // Like close(), from anywhere.
  void let_go();

  EpochRun begin_epoch();
  // A dict of what a batch is and has; None when the epoch is over. Throws Error when another run
  // has begun before it was.
  nb::object next(const EpochRun& epoch);
  // The last batch has not reached the loop: it does not count as taken, and next() gives it again.
  void give_back(const EpochRun& epoch);
  // Ends the epoch, unless it is over.
  void leave(const EpochRun& epoch);
  // Takes the batches of an epoch and lets go of them, as a program in C++ does; gives how many
  // samples were delivered. What the same loop in Python takes longer is Python's part.
  std::int64_t drain();
  void reset(std::int64_t epoch);
  void cancel() { engine().cancel(); }
  std::int64_t next_epoch() const { return next_epoch_; }
  nb::dict inspect(std::int64_t index, std::int64_t epoch) const;

 private:
  class Callers;

  // Ends what another thread takes, and has it leave. `call` is what messages say. Without the
  // lock nobody takes batches, begins or ends an epoch.
  std::unique_lock<std::mutex> take_over(const char* call, const std::string& why);
  // The next epoch, for who has the turn.
  EpochRun begin();
  // For a call during which another thread may close the pipeline.
  std::shared_ptr<detail::Engine> shared_engine() const;

  std::shared_ptr<detail::Engine> engine_;
  std::vector<const detail::SlotType*> types_;
  std::shared_ptr<Kept> kept_;
  std::string closed_by_;
  std::int64_t next_epoch_ = 0;
  std::shared_ptr<Caller> caller_;  // next() keeps it while it waits
  std::shared_ptr<Callers> callers_;
  std::mutex turn_;
  std::vector<std::string> waiting_;  // for the turn: what they will have ended the run by
  std::shared_ptr<EpochRun::State> current_;
};

}  // namespace sluice::python
