// Running: a pipeline from which Python takes batches.
//
// Waiting for a batch releases the GIL, and Ctrl-C interrupts it: a thread of the pipeline takes
// the batches, and the waiting thread checks for signals meanwhile.
//
// Ownership: a Running owns the engine; batches outlive it. close() and the destructor stop what
// runs and wait for active steps, without the GIL. If the last reference is released inside one of
// the pipeline's own steps, another thread does this. Threads: one at a time, except for cancel(),
// stats() and close(). A second thread that takes batches gets an Error. A new epoch or reset()
// ends the loop of another thread. Errors: those of Pipeline.
#pragma once

#include "caller.h"
#include "object.h"
#include "order.h"
#include <sluice/graph/exec/engine.h>
#include <sluice/graph/plan/slot.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sluice::python {

// A loop's run through an epoch.
struct EpochRun {
  struct State {
    std::shared_ptr<detail::Run> run;
    std::int64_t epoch = 0;
    bool over = false;
    std::string ended_by;     // the call that ended it before its last batch
    nb::object last;          // the last batch returned
    bool given_back = false;  // next() returns it again
  };
  std::shared_ptr<State> state;
};

class Running {
 public:
  Running(std::shared_ptr<detail::Engine> engine, std::vector<const detail::SlotType*> types,
          std::shared_ptr<PyRefs> py_refs, std::shared_ptr<PythonOrder> order);
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();

  // Throws Error after close().
  detail::Engine& engine() const;
  // Throws Error inside a step of this pipeline, since close() would wait for it. `why` is added to
  // the errors of later calls.
  void close(const std::string& why);
  bool closed() const { return engine_ == nullptr; }
  // Waits until all other threads have left the calls that they were in at close().
  void wait_for_others() const;
  // For Python's garbage collector.
  int traverse(visitproc visit, void* arg) const {
    return py_refs_ == nullptr ? 0 : py_refs_->traverse(visit, arg);
  }
  // Like close(), but allowed on any thread.
  void let_go();

  EpochRun begin_epoch();
  // Returns the next batch as a dict; None at the end of the epoch. Throws Error if another run
  // began before this one was over.
  nb::object next(const EpochRun& epoch);
  // Call it if the last batch did not reach the loop: it does not count as taken, and next()
  // returns it again.
  void give_back(const EpochRun& epoch);
  // Ends the epoch, unless it is over.
  void leave(const EpochRun& epoch);
  // Takes and drops the batches of an epoch, as a C++ program does; returns the number of delivered
  // samples. The extra time of the same loop in Python is Python's overhead.
  std::int64_t drain();
  void reset(std::int64_t epoch);
  void cancel() { engine().cancel(); }
  std::int64_t next_epoch() const { return next_epoch_; }
  nb::dict inspect(std::int64_t index, std::int64_t epoch) const;
  std::string checkpoint() const;

 private:
  class Callers;

  // Ends the loop of another thread and waits for the turn. `call` is the call's name for messages.
  // Only the holder of the returned lock may take batches, and begin or end an epoch.
  std::unique_lock<std::mutex> take_over(const char* call, const std::string& why);
  // Begins the next epoch; the caller must have the turn.
  EpochRun begin();
  // The engine, kept alive for a call during which another thread may close the pipeline.
  std::shared_ptr<detail::Engine> shared_engine() const;

  std::shared_ptr<detail::Engine> engine_;
  std::vector<const detail::SlotType*> types_;
  std::shared_ptr<PyRefs> py_refs_;
  std::shared_ptr<PythonOrder> order_;  // null: one of the library's
  std::string closed_by_;
  std::int64_t next_epoch_ = 0;
  std::shared_ptr<Caller> caller_;  // next() keeps it alive while it waits
  std::shared_ptr<Callers> callers_;
  std::mutex turn_;
  std::vector<std::string> waiting_;  // for the turn: the reasons that will end the run
  std::shared_ptr<EpochRun::State> current_;
};

}  // namespace sluice::python
