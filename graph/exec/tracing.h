// PipelineTrace: writes a pipeline's trace: the steps of samples, the waits, the consumer's waits,
// and counts of work in flight.
//
// Ownership: owns the trace and its file, until finish(). Threads: on_thread(), ran() and waited()
// from any thread that works for the pipeline; consumer() from the thread that takes batches;
// count() under the engine's lock. Errors: the constructor throws BuildError if the file cannot be
// written.
#pragma once

#include <sluice/graph/exec/sample.h>
#include <sluice/graph/options.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/stats.h>
#include <sluice/runtime/trace.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace sluice {
class DeviceClock;
class DeviceTimer;
}  // namespace sluice

namespace sluice::detail {

class DeviceBatchPlan;

class PipelineTrace {
 public:
  using Time = Trace::Time;

  // `plan`: the plan that runs.
  PipelineTrace(const PipelineOptions& options, const Plan& plan);
  ~PipelineTrace();

  // Gives this thread, which must work only for this pipeline, a track with this name. Without
  // memory for one, it shares the track of other threads.
  void on_thread(const char* name, std::int64_t number = -1) noexcept;

  void ran(const Sample& sample, const Step& step, Time from, Time to) {
    trace_.slice(step.counter, from, to, args_of(sample));
  }
  void waited(const Sample& sample, const Step& step, Time from, Time to) {
    trace_.wait(step.counter, from, to, args_of(sample));
  }
  // Records a call of next() that returned this batch.
  void consumer(std::int64_t epoch, std::int64_t batch, Time from, Time to);
  // Sets the current counts: samples in the window, batches that are ready, bytes in use.
  void count(std::int64_t samples, std::int64_t batches, std::size_t bytes);

  // Returns a timer for GPU batch number `slot` of this batch plan. It records on a separate track
  // when the device ran which step.
  std::unique_ptr<DeviceTimer> timer(const DeviceBatchPlan& batch_plan, std::size_t slot);

  // Writes the file. Nothing may run.
  void finish() noexcept { trace_.finish(); }

 private:
  TraceArgs args_of(const Sample& sample) const {
    return {sample.key().epoch, sample.key().index, sample.id(), sample.id() / batch_size_};
  }

  const int batch_size_;
  const std::vector<StepStats> steps_;  // all steps of the plan
  Trace trace_;
  std::unique_ptr<DeviceClock> clock_;  // null: no device
  const Trace::NameId next_, samples_, batches_, bytes_, device_batch_;
  Trace::Track& consumer_;
  Trace::Track& counters_;
};

// Returns a function that thread i with this name calls first; empty without a trace.
std::function<void(std::size_t i)> thread_begin(PipelineTrace* trace, const char* name);

}  // namespace sluice::detail
