#include <sluice/graph/run/tracing.h>
#include <sluice/graph/stats.h>

#include <exception>
#include <string>

namespace sluice::detail {

// Steps are known by their counters; other names come after those.
PipelineTrace::PipelineTrace(const PipelineOptions& options, const Plan& plan)
    : batch_size_(options.batch_size),
      trace_(options.trace.file, static_cast<std::size_t>(options.trace.max_events)),
      next_(plan.counters),
      samples_(plan.counters + 1),
      batches_(plan.counters + 2),
      bytes_(plan.counters + 3),
      consumer_(trace_.add_track("consumer")),
      counters_(trace_.add_track("counters")) {
  for (const StepStats& step : steps_of(plan)) trace_.set_name(step.counter, step.name, step.path);
  trace_.set_name(next_, "next()");
  trace_.set_name(samples_, "samples under way");
  trace_.set_name(batches_, "batches ready");
  trace_.set_name(bytes_, "bytes in use");
}

void PipelineTrace::on_thread(const char* name, std::int64_t number) noexcept {
  try {
    trace_.use_here(trace_.add_track(number < 0 ? name : name + (" " + std::to_string(number))));
  } catch (const std::exception&) {
    return;
  }
}

std::function<void(std::size_t)> thread_begin(PipelineTrace* trace, const char* name) {
  if (trace == nullptr) return {};
  return [trace, name](std::size_t i) { trace->on_thread(name, static_cast<std::int64_t>(i)); };
}

void PipelineTrace::consumer(std::int64_t epoch, std::int64_t batch, Time from, Time to) {
  trace_.slice(consumer_, next_, from, to, {.epoch = epoch, .batch = batch});
}

void PipelineTrace::count(std::int64_t samples, std::int64_t batches, std::size_t bytes) {
  const Time now = Trace::Clock::now();
  trace_.counter(counters_, samples_, now, samples);
  trace_.counter(counters_, batches_, now, batches);
  trace_.counter(counters_, bytes_, now, static_cast<std::int64_t>(bytes));
}

}  // namespace sluice::detail
