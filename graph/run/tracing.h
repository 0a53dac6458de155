// PipelineTrace: what a pipeline tells its trace: the steps of samples, the waits, what the
// consumer waits for, and how much is under way.
//
// Ownership: owns the trace and its file, until finish(). Threads: on_thread(), ran() and waited()
// from any thread that works for the pipeline; consumer() from the thread that takes batches;
// count() under the engine's lock. Errors: the constructor throws BuildError for a file that cannot
// be written.
#pragma once

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

class Gathering;

class PipelineTrace {
 public:
  using Time = Trace::Time;

  // Of the plan as it runs.
  PipelineTrace(const PipelineOptions& options, const Plan& plan);
  ~PipelineTrace();

  // This thread, which works for nobody else, has a track of this name; without memory for one it
  // shares that of others.
  void on_thread(const char* name, std::int64_t number = -1) noexcept;

  void ran(const Sample& sample, const Step& step, Time from, Time to) {
    trace_.slice(step.counter, from, to, args_of(sample));
  }
  void waited(const Sample& sample, const Step& step, Time from, Time to) {
    trace_.wait(step.counter, from, to, args_of(sample));
  }
  // The consumer called next(), which gave it this batch.
  void consumer(std::int64_t epoch, std::int64_t batch, Time from, Time to);
  // Samples in the window, batches that are ready, bytes in use; from now on.
  void count(std::int64_t samples, std::int64_t batches, std::size_t bytes);

  // For gather number `slot` of those that do this: notes on a track of its own when the device was
  // at which step.
  std::unique_ptr<DeviceTimer> timer(const Gathering& gathering, std::size_t slot);

  // Writes the file. Nothing may run.
  void finish() noexcept { trace_.finish(); }

 private:
  TraceArgs args_of(const Sample& sample) const {
    return {sample.key().epoch, sample.key().index, sample.id(), sample.id() / batch_size_};
  }

  const int batch_size_;
  const std::vector<StepStats> steps_;  // all of the plan
  Trace trace_;
  std::unique_ptr<DeviceClock> clock_;  // null: no device
  const Trace::NameId next_, samples_, batches_, bytes_, gather_;
  Trace::Track& consumer_;
  Trace::Track& counters_;
};

// What thread i of those with this name does first; nothing without a trace.
std::function<void(std::size_t i)> thread_begin(PipelineTrace* trace, const char* name);

}  // namespace sluice::detail
