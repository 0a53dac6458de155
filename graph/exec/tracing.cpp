#include <sluice/graph/exec/device_batch_plan.h>
#include <sluice/graph/exec/tracing.h>
#include <sluice/graph/plan/uses.h>
#include <sluice/graph/stats.h>
#include <sluice/runtime/device_timer.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace sluice::detail {

// Steps have their counters as name ids; other names follow.
PipelineTrace::PipelineTrace(const PipelineOptions& options, const Plan& plan)
    : batch_size_(options.batch_size),
      steps_(steps_of(plan)),
      trace_(options.trace.file, static_cast<std::size_t>(options.trace.max_events)),
      next_(plan.counters),
      samples_(plan.counters + 1),
      batches_(plan.counters + 2),
      bytes_(plan.counters + 3),
      device_batch_(plan.counters + 4),
      consumer_(trace_.add_track("consumer")),
      counters_(trace_.add_track("counters")) {
  if (options.device != nullptr && has_step(plan, StepKind::stream))
    clock_ = std::make_unique<DeviceClock>(*options.device);
  for (const StepStats& step : steps_) trace_.set_name(step.counter, step.name, step.path);
  trace_.set_name(next_, "next()");
  trace_.set_name(samples_, "samples under way");
  trace_.set_name(batches_, "batches ready");
  trace_.set_name(bytes_, "bytes in use");
  trace_.set_name(device_batch_, "GPU batch");
}

PipelineTrace::~PipelineTrace() = default;

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

std::unique_ptr<DeviceTimer> PipelineTrace::timer(const DeviceBatchPlan& batch_plan,
                                                  std::size_t slot) {
  // The names and paths of steps. Device traces do not identify samples.
  std::vector<std::string> places;
  for (const Step* const step : batch_plan.steps()) {
    const auto known = std::find_if(steps_.begin(), steps_.end(), [&](const StepStats& each) {
      return each.counter == step->counter;
    });
    places.push_back(known == steps_.end() || known->path.empty() ? step->name
                                                                  : known->path + "/" + step->name);
  }
  Trace::Track& track = trace_.add_track(
      fmt::format("{}: {}, GPU batch {}", clock_->device().name(), batch_plan.front().name, slot));
  return std::make_unique<DeviceTimer>(
      *clock_, [this, &track, places = std::move(places)](const DeviceTimer& done) {
        if (done.parts().empty()) return;  // all of its samples had ended
        const auto samples = static_cast<std::int64_t>(done.samples());
        trace_.add_device_batch(
            track, device_batch_, done.from(), done.to(),
            TraceDeviceBatchArgs{.samples = samples, .ahead = done.ahead() ? 1 : 0});
        for (const DeviceTimer::Part& part : done.parts()) {
          const bool all = part.step == DeviceTimer::kNoStep;
          const Trace::NameId name =
              trace_.name_of(all ? "upload" : part.what, all ? std::string() : places[part.step]);
          trace_.add_device_batch(
              track, name, part.from, part.to,
              TraceDeviceBatchArgs{static_cast<std::int64_t>(part.samples), part.bytes});
        }
      });
}

}  // namespace sluice::detail
