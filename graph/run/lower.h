// Executor: a plan as a running flow graph. The one place where a plan meets oneTBB.
//
// Stages become nodes, those that wait async_nodes, branches select_nodes whose arms end in the
// same receiver, loops loop_nodes, the samples go round in a window, a batch_node puts them in
// order (graph/flow/ has these nodes). A driver thread waits for the graph inside an arena of the
// pipeline's own, so that work goes on while nobody asks for a batch, with one thread too. The
// other threads are the pipeline's own as well (flow/crew.h): what other pipelines, or the user,
// ask of oneTBB does not concern them.
//
// Ownership: refers to the plan, the records and the pools of its user, who outlives it. Threads:
// begin() and drain() from one thread at a time; the rest from any. The hooks are called on worker
// threads and must not throw.
#pragma once

#include <sluice/graph/plan/plan.h>
#include <sluice/graph/run/tracing.h>
#include <sluice/runtime/buffer_pool.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

namespace sluice::detail {

struct DeviceWork;

struct ExecutorHooks {
  // Fills a free record with the next sample; false when there is none now. One call at a time.
  std::function<bool(Sample&)> admit;
  // Prepares a record that was admitted, on the same thread and outside all locks.
  std::function<void(Sample&)> begin;
  // All steps have run or were passed over. True: on to the batch. False: once more from the
  // source.
  std::function<bool(Sample&)> finish;
  // A batch is complete; called in the order of batches. The records stay untouched until
  // release(index).
  std::function<void(std::int64_t index, const std::vector<Sample*>& samples)> batch_ready;
  // The run cannot go on, since oneTBB had no memory for a task, say. Frames may be anywhere;
  // after drain() they are free.
  std::function<void(std::exception_ptr why)> broken;
  PipelineTrace* trace = nullptr;  // null: none
  DeviceWork* device = nullptr;    // of steps that run on one; outlives the executor
};

class Executor {
 public:
  // `threads`: how many threads run steps at once, if the system makes that many; one is enough.
  // `io_threads`: those for steps that read, if there are any; where none can be made, they run
  // like others.
  // `batch_size` and the samples' positions decide about batches. Throws Error when there can be
  // none: no thread can be made, or fork() made this process while a pipeline was alive.
  Executor(const Plan& plan, const std::vector<Sample*>& samples, int threads, int io_threads,
           int batch_size, BufferPool& pool, ExecutorHooks hooks);
  // Stops as drain() does.
  ~Executor();

  // Starts a run of `total` samples. Nothing may be under way.
  void begin(std::int64_t total);
  // The consumer is done with a batch: its records are free to carry others.
  void release(std::int64_t batch);
  // For a consumer that waits long: puts all threads to work. Those that go on may be waiting for
  // samples that have not begun.
  void nudge();
  // Admits no more, and returns when no step runs and no sample waits: at most as long as the
  // longest running step takes, or it takes until the last handle is fired or destroyed, if the
  // samples are told to pass the other steps over (see Sample::ended). Then all samples are free.
  // When that has taken so many seconds, says so, once.
  void drain(double patience, const std::function<void()>& still_waiting);
  // Frames that arrived in batches which are not complete; call it when nothing is under way.
  void for_each_held(const std::function<void(const Sample&)>& visit) const;
  // Threads that there are: that run steps, and that read.
  int threads() const;
  int io_threads() const;
  // Steps of ended samples are passed over once this says true.
  void set_cancelled(bool cancelled);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::detail
