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
#include <sluice/runtime/trace.h>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace sluice::detail {

class PipelineTrace {
 public:
  using Time = Trace::Time;

  // Of the plan as it runs.
  PipelineTrace(const PipelineOptions& options, const Plan& plan);

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

  // Writes the file. Nothing may run.
  void finish() noexcept { trace_.finish(); }

 private:
  TraceArgs args_of(const Sample& sample) const {
    return {sample.key().epoch, sample.key().index, sample.position(),
            sample.position() / batch_size_};
  }

  const int batch_size_;
  Trace trace_;
  const Trace::NameId next_, samples_, batches_, bytes_;
  Trace::Track& consumer_;
  Trace::Track& counters_;
};

// What thread i of those with this name does first; nothing without a trace.
std::function<void(std::size_t i)> thread_begin(PipelineTrace* trace, const char* name);

}  // namespace sluice::detail
