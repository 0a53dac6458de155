// Runner: executes the parts of a plan for a sample, one part at a time. The nodes of the flow
// graph (executor_nodes.h) call it. inspect() also calls it and walks the plan on the calling
// thread. So the semantics are implemented only once. runner.cpp has stages, branches and loops,
// runner_device_batch.cpp has GPU batches.
//
// Ownership: refers to a pool and a trace that outlive it. Threads: any number, each with its own
// sample. Errors: nothing is thrown. An exception from a step becomes the sample's error, and a
// sample that has ended passes unchanged.
#pragma once

#include <sluice/graph/exec/device_batch.h>
#include <sluice/graph/exec/device_batch_plan.h>
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/exec/tracing.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/runtime/memory.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>

namespace sluice::detail {

// The clock for step times.
using StepClock = std::chrono::steady_clock;

// Converts a time to and from the form in Wait::since.
inline std::int64_t nanoseconds_of(StepClock::time_point at) {
  return std::chrono::nanoseconds(at.time_since_epoch()).count();
}
inline StepClock::time_point time_of(std::int64_t nanoseconds) {
  return StepClock::time_point(std::chrono::nanoseconds(nanoseconds));
}

// Adds one run and its time to the counters. Only for a sample whose counters are timed.
inline void record_step_run(Sample& sample, const Step& step, std::chrono::nanoseconds took) {
  sample.counters.add(step.counter, 1);
  sample.counters.add(step.counter + 1, took.count());
}

struct DeviceWork;

class Runner {
 public:
  // `trace` may be null. `device` may be null if no step runs on one.
  explicit Runner(BufferPool& pool, PipelineTrace* trace = nullptr, DeviceWork* device = nullptr)
      : pool_(pool), trace_(trace), device_(device) {}

  // Once set, samples end as cancelled at their next stage.
  void set_cancelled(bool cancelled) { cancelled_.store(cancelled, std::memory_order_relaxed); }

  // Counts and times each step if the sample's counters are timed, including a step that ends its
  // sample. Blocks until a stage that waits is done.
  void run(Sample& sample, const Stage& stage) noexcept;

  // Begins a stage that waits. Returns true if there is nothing to wait for: the sample continues.
  // False: `listener` is told when the wait is over, which may have happened already. It calls
  // end_wait(), and the sample continues. The time until then counts as the step's.
  bool begin_wait(Sample& sample, const Stage& stage, WaitListener& listener) noexcept;
  void end_wait(Sample& sample) noexcept;

  // The same for a stage that needs a thread of another kind. begin_io() returns true if it does
  // not need one; otherwise call run_io() on such a thread.
  bool begin_io(Sample& sample, const Stage& stage) noexcept;
  void run_io(Sample& sample, const Stage& stage) noexcept;

  // The same for work on a device. device_batch() adds the sample's work to a GPU batch, and fails
  // the sample if something is wrong with it. When the device is done or has failed, call
  // end_device_batch() for all samples. They then continue; those with has_stopped() in another GPU
  // batch of the same parts. fail_device_batch() records why the device failed. The branches that a
  // sample takes in a GPU batch count when it is over.
  void begin_device_batch(Sample& sample, const DeviceBatchPlan& batch_plan) noexcept;
  enum class Memory : std::uint8_t { fails, is_waited_for };
  // With Memory::is_waited_for, returns false if there is too little memory. The sample must then
  // be added again, to a GPU batch that has been cleared.
  bool collect(Sample& sample, const DeviceBatchPlan& batch_plan, DeviceBatch& device_batch,
               Memory without = Memory::fails) noexcept;
  // Undoes device_batch() for a GPU batch that will not be launched.
  static void take_back(Sample& sample, const DeviceBatchPlan& batch_plan) noexcept;
  // True if the device is done. Throws the device's error. Samples that it gave back are run on the
  // host, on any thread, and then added to a GPU batch again.
  static bool is_over(DeviceBatch& device_batch);
  void do_on_host(Sample& sample, const DeviceBatchPlan& batch_plan) noexcept;
  // The device has failed; call this before end_device_batch(). It is unknown how far the sample
  // came, so it has taken no branches.
  static void give_up(Sample& sample) noexcept;
  void end_device_batch(Sample& sample, const DeviceBatchPlan& batch_plan) noexcept;
  static bool has_stopped(const Sample& sample) { return sample.wait.from != 0; }
  // `step`: the failed step of the batch plan, if known.
  static void fail_device_batch(Sample& sample, const DeviceBatchPlan& batch_plan,
                                const std::exception_ptr& why,
                                std::optional<std::size_t> step = std::nullopt) noexcept;

  // Returns the branch to take; branch 0 for a sample that has ended, which runs nothing there. The
  // results of a branch without steps are set at once.
  std::size_t choose(Sample& sample, const Choice& choice) noexcept;
  // Called at the end of one of the branch's blocks: its results become those of the branch.
  static void give_results(Sample& sample, const Choice& choice, std::size_t branch) noexcept;

  static void begin(Sample& sample, const Loop& loop) noexcept;
  // Called after the condition's steps. Returns true if the body runs (again); otherwise sets the
  // loop's results.
  bool wants_another(Sample& sample, const Loop& loop) noexcept;
  // Called after the body's steps.
  static void carry(Sample& sample, const Loop& loop) noexcept;

 private:
  // Returns the number of the branch; throws what the choice throws. Nothing if it is out of range:
  // the sample has failed.
  static std::optional<std::size_t> branch_for(Sample& sample, const Choice& choice);
  void run_on_device(Sample& sample, const Stage& stage) noexcept;
  bool add_to_device_batch(Sample& sample, const Step& step, Memory without) noexcept;
  // The result of adding both branches of a choice that the device makes. `no`: the sample must
  // stop there.
  enum class Added : std::uint8_t { yes, no, too_little_memory };
  static Added add_choice(Sample& sample, const DeviceBatchPlan& batch_plan,
                          const DeviceBatchPlan::Part& part, DeviceBatch& device_batch) noexcept;
  // Called when the GPU batch is over: reads which branches the device has taken.
  static void learn_choices(Sample& sample, const DeviceBatchPlan& batch_plan) noexcept;
  static void release_written(Sample& sample, const Block& branch,
                              const std::vector<SlotId>& except) noexcept;
  void run_and_wait(Sample& sample, const Stage& stage) noexcept;
  std::size_t run_step(Sample& sample, const Step& step);
  static void release_made(Sample& sample, const DeviceBatchPlan& batch_plan) noexcept;
  template <class Timer>
  void run_steps(Sample& sample, const Stage& stage, Timer timer) noexcept;

  BufferPool& pool_;
  PipelineTrace* const trace_;
  DeviceWork* const device_;
  std::atomic<bool> cancelled_{false};
};

}  // namespace sluice::detail
