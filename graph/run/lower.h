// Executor: runs a plan as a oneTBB flow graph. It is the only code that maps plans to oneTBB.
//
// Stages become nodes, and stages that wait become async_nodes. Branches become select_nodes whose
// arms end in the same receiver. Loops become loop_nodes. The samples circulate in a window, and a
// batch_node orders them (graph/flow/ has these nodes). A driver thread waits for the graph inside
// the pipeline's own arena, so that work continues between calls of next(), even with one thread.
// The other threads are the pipeline's own as well (flow/crew.h), so other users of oneTBB do not
// affect them.
//
// Ownership: refers to the plan, the samples and the pools of its user, who outlives it. Threads:
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
  // Makes a free Sample object hold the next sample; false if there is none now. One call at a
  // time.
  std::function<bool(Sample&)> admit;
  // Prepares an admitted sample, on the same thread and outside all locks.
  std::function<void(Sample&)> begin;
  // Called when all steps have run or were skipped. True: continue to the batch. False: start again
  // at the source.
  std::function<bool(Sample&)> finish;
  // A batch is complete; called in the order of batches. Its samples stay untouched until
  // release(index).
  std::function<void(std::int64_t index, const std::vector<Sample*>& samples)> batch_ready;
  // The run cannot continue, for example because oneTBB had no memory for a task. Samples may be
  // anywhere in the graph; after drain() they are free.
  std::function<void(std::exception_ptr why)> broken;
  PipelineTrace* trace = nullptr;  // null: none
  DeviceWork* device = nullptr;    // for steps on a device; outlives the executor
};

class Executor {
 public:
  // `threads`: the number of threads that run steps, if the system allows that many; one is enough.
  // `io_threads`: the number for steps that read, if there are any. If none can be made, these
  // steps run like others. `batch_size` and the samples' positions determine the batches. Throws
  // Error if no thread can be made, or if fork() made this process while a pipeline was alive.
  Executor(const Plan& plan, const std::vector<Sample*>& samples, int threads, int io_threads,
           int batch_size, BufferPool& pool, ExecutorHooks hooks);
  // Stops like drain().
  ~Executor();

  // Starts a run of `total` samples. Nothing may be in flight.
  void begin(std::int64_t total);
  // The consumer is done with a batch: its samples may be reused.
  void release(std::int64_t batch);
  // For a consumer that waits long: wakes all threads, because the active ones may wait for samples
  // that have not begun.
  void nudge();
  // Stops admission, and returns when no step runs and no sample waits. Then all samples are free.
  // If the samples are told to skip the remaining steps (see Sample::ended), this takes as long as
  // the longest running step, or until the last handle is fired or destroyed. After `patience`
  // seconds, calls still_waiting(), once.
  void drain(double patience, const std::function<void()>& still_waiting);
  // Visits samples that have arrived in incomplete batches. Call it when nothing is in flight.
  void for_each_held(const std::function<void(const Sample&)>& visit) const;
  // The number of threads that run steps, and of those that read.
  int threads() const;
  int io_threads() const;
  // While true, samples skip their remaining steps.
  void set_cancelled(bool cancelled);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::detail
