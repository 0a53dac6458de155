// Executor: runs a plan as a oneTBB flow graph. It is the only code that maps plans to oneTBB.
//
// Stages become nodes, and stages that wait become async_nodes. Choices become select_nodes whose
// branches end in the same receiver. Loops become loop_nodes. The samples circulate in a window,
// and a batch_node orders them (graph/flow/ has these nodes). A driver thread waits for the graph
// inside the pipeline's own arena, so that work continues between calls of next(), even with one
// thread. The other threads are the pipeline's own as well (flow/arena_threads.h), so other users
// of oneTBB do not affect them.
//
// Ownership: refers to the plan, the samples and the pools of its user, who outlives it. Threads:
// begin() and drain() from one thread at a time; the rest from any. The hooks are called on worker
// threads and must not throw.
#pragma once

#include <sluice/graph/exec/tracing.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/runtime/memory.h>
#include <sluice/runtime/ring_buffer.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace sluice::flow {
class credit_pool;
}

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
  // Limits the samples at work together with those of other pipelines; null: no such limit.
  // Outlives the executor.
  flow::credit_pool* credits = nullptr;
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
  // If samples skip their remaining steps (see Sample::ended), it waits only for running steps, and
  // until all handles are fired or destroyed. After `patience` seconds, calls still_waiting(),
  // once.
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

// IoThreads: a pipeline's threads for steps with slow reads, so that computing threads do not
// block. The queue is first in, first out.
//
// Ownership: owns its threads and its queue; refers to the readers and samples in it. Destroying it
// ends the threads; the queue must be empty then. Memory: all is allocated in the constructor.
// Threads: post() from any; a reader is called on these threads, for several samples at once.
// Errors: a thread that cannot be made, or whose stack would leave too little memory to work with,
// is left out; size() returns the actual number.

class Sample;

class SampleReader {
 public:
  virtual void read(Sample& sample) noexcept = 0;

 protected:
  ~SampleReader() = default;
};

class IoThreads {
 public:
  // At most `room` samples are queued at once. Thread i calls `begin(i)` before it reads.
  IoThreads(std::size_t wanted, std::size_t room, std::function<void(std::size_t)> begin);
  ~IoThreads();
  IoThreads(const IoThreads&) = delete;
  IoThreads& operator=(const IoThreads&) = delete;

  std::size_t size() const { return threads_.size(); }
  // Queues reader.read(sample) for one of the threads.
  void post(SampleReader& reader, Sample& sample);

 private:
  struct Item {
    SampleReader* reader = nullptr;
    Sample* sample = nullptr;
  };
  void work(std::size_t index) noexcept;

  const std::function<void(std::size_t)> begin_;
  std::mutex mutex_;
  std::condition_variable came_;
  RingBuffer<Item> queue_;
  std::size_t idle_ = 0;  // threads that wait for work
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace sluice::detail
