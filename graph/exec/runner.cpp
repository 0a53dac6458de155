#include <sluice/graph/exec/capture_error.h>
#include <sluice/graph/exec/device_batch_plan.h>
#include <sluice/graph/exec/runner.h>
#include <sluice/runtime/text.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace sluice::detail {
namespace {

// Counts consecutive runs of steps.
class StepTimes {
 public:
  void ran(Sample& sample, const Step& step, std::chrono::nanoseconds took) {
    const std::chrono::nanoseconds within(std::exchange(sample.within_step_before, 0));
    if (before_ != nullptr) sample.counters.add(before_->counter + 1, -within.count());
    record_step_run(sample, step, took + within);
    before_ = &step;
  }

 private:
  const Step* before_ = nullptr;
};

// Times consecutive runs of steps, with one clock read for each.
class StepTimer {
 public:
  void ran(Sample& sample, const Step& step) {
    const StepClock::time_point now = StepClock::now();
    times_.ran(sample, step, now - since_);
    since_ = now;
  }

 private:
  StepTimes times_;
  StepClock::time_point since_ = StepClock::now();
};
struct NoTimer {
  void ran(Sample&, const Step&) {}
};
// Like StepTimer, for the trace, and for the counters if they are timed.
class TraceTimer {
 public:
  explicit TraceTimer(PipelineTrace& trace) : trace_(trace) {}
  void ran(Sample& sample, const Step& step) {
    const Trace::Time now = Trace::Clock::now();
    if (sample.counters.timed()) times_.ran(sample, step, now - since_);
    trace_.ran(sample, step, since_, now);
    since_ = now;
  }

 private:
  PipelineTrace& trace_;
  StepTimes times_;
  Trace::Time since_ = Trace::Clock::now();
};

// Blocks a thread until the wait is over.
class StandStill : public WaitListener {
 public:
  void wait_is_over(Sample&) noexcept override {
    // The lock is held while notifying, because this may be destroyed right after.
    const std::lock_guard lock(mutex_);
    over_ = true;
    said_.notify_one();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    said_.wait(lock, [&] { return over_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable said_;
  bool over_ = false;
};

}  // namespace

void Runner::run(Sample& sample, const Stage& stage) noexcept {
  if (stage.kind() == StepKind::wait) {
    run_and_wait(sample, stage);
    return;
  }
  if (stage.kind() == StepKind::stream) {
    run_on_device(sample, stage);
    return;
  }
  if (cancelled_.load(std::memory_order_relaxed)) sample.cancel();
  if (sample.ended()) return;
  if (trace_ != nullptr) {
    run_steps(sample, stage, TraceTimer(*trace_));
  } else if (sample.counters.timed()) {
    run_steps(sample, stage, StepTimer());
  } else {
    run_steps(sample, stage, NoTimer());
  }
}

// Returns the bytes that it allocated outside the pipeline's own memory.
std::size_t Runner::run_step(Sample& sample, const Step& step) {
  if (!step.for_device) {
    step.run(sample);
    return 0;
  }
  const BufferPoolScope scope(device_->memory.pinned);
  step.run(sample);
  return scope.bytes_allocated();
}

template <class Timer>
void Runner::run_steps(Sample& sample, const Stage& stage, Timer timer) noexcept {
  const BufferPoolScope scope(pool_);
  const DeviceMemory::Scope device(device_ != nullptr ? &device_->memory : nullptr);
  sample.enter_stage();
  const Step* current = nullptr;
  capture_error(
      sample, [&]() -> const std::string& { return current->name; },
      [&] {
        for (const Step& step : stage.steps) {
          current = &step;
          sample.enter(current);
          sample.bytes_allocated += run_step(sample, step);
          if (sample.ended()) break;
          for (const SlotId slot : step.releases) sample.release(slot);
          timer.ran(sample, step);
        }
      });
  if (sample.ended()) timer.ran(sample, *current);
  sample.enter(nullptr);
  sample.bytes_allocated += scope.bytes_allocated();
}

bool Runner::begin_wait(Sample& sample, const Stage& stage, WaitListener& listener) noexcept {
  if (cancelled_.load(std::memory_order_relaxed)) sample.cancel();
  if (sample.ended()) return true;
  const Step& step = stage.steps.front();
  sample.enter_stage();
  sample.enter(&step);
  Wait& wait = sample.wait;
  BufferPool& pool = step.for_device ? device_->memory.pinned : pool_;
  wait.begin(listener, pool);
  if (sample.counters.timed() || trace_ != nullptr) wait.since = nanoseconds_of(StepClock::now());
  {
    const BufferPoolScope scope(pool);
    const WorkScope work(sample.plan());
    try {
      step.run(sample);
    } catch (...) {
      // The holder of the handle may be writing the sample's outcome now, so only store the
      // exception.
      wait.thrown = std::current_exception();
    }
    wait.bytes_begun = scope.bytes_allocated();
  }
  if (!wait.leave()) return false;
  end_wait(sample);
  return true;
}

void Runner::end_wait(Sample& sample) noexcept {
  const Step& step = *sample.running();
  Wait& wait = sample.wait;
  if (wait.thrown != nullptr) {
    capture_error(
        sample, [&]() -> const std::string& { return step.name; },
        [&] {
          try {
            std::rethrow_exception(std::exchange(wait.thrown, nullptr));
          } catch (const EndOfEpoch&) {
            if (!step.pinned) throw;
            sample.end_epoch();
          }
        });
  }
  if (!sample.ended()) {
    for (const SlotId slot : step.releases) sample.release(slot);
  }
  if (sample.counters.timed() || trace_ != nullptr) {
    const StepClock::time_point now = StepClock::now();
    const StepClock::time_point since = time_of(wait.since);
    if (sample.counters.timed()) record_step_run(sample, step, now - since);
    if (trace_ != nullptr) trace_->waited(sample, step, since, now);
  }
  sample.bytes_allocated += wait.bytes_begun + wait.bytes_given;
  sample.bytes_waiting = sample.bytes_allocated;
  sample.enter(nullptr);
}

bool Runner::begin_io(Sample& sample, const Stage& stage) noexcept {
  if (cancelled_.load(std::memory_order_relaxed)) sample.cancel();
  if (sample.ended()) return true;
  sample.enter_stage();
  sample.enter(&stage.steps.front());
  if (trace_ != nullptr) sample.wait.since = nanoseconds_of(StepClock::now());
  return false;
}

void Runner::run_io(Sample& sample, const Stage& stage) noexcept {
  run(sample, stage);
  sample.enter(nullptr);
  sample.bytes_waiting = sample.bytes_allocated;
  if (trace_ != nullptr)
    trace_->waited(sample, stage.steps.front(), time_of(sample.wait.since), StepClock::now());
}

void Runner::run_and_wait(Sample& sample, const Stage& stage) noexcept {
  StandStill here;
  if (begin_wait(sample, stage, here)) return;
  here.wait();
  end_wait(sample);
}

std::optional<std::size_t> Runner::branch_for(Sample& sample, const Choice& choice) {
  const std::int64_t branch = choice.choose(sample);
  if (branch >= 0 && branch < static_cast<std::int64_t>(choice.branches.size()))
    return static_cast<std::size_t>(branch);
  sample.fail(choice.name, "the index is " + std::to_string(branch) +
                               ", but the branches are numbered 0 to " +
                               std::to_string(choice.branches.size() - 1));
  return std::nullopt;
}

std::size_t Runner::choose(Sample& sample, const Choice& choice) noexcept {
  if (sample.ended()) return 0;
  std::size_t taken = 0;
  capture_error(
      sample, [&]() -> const std::string& { return choice.name; },
      [&] {
        const std::optional<std::size_t> branch = branch_for(sample, choice);
        if (!branch) return;
        taken = *branch;
        sample.take_branch(choice, static_cast<std::uint32_t>(taken));
        for (const SlotId slot : choice.branches[taken].releases) sample.release(slot);
        if (choice.branches[taken].nodes.empty()) give_results(sample, choice, taken);
      });
  return taken;
}

void Runner::give_results(Sample& sample, const Choice& choice, std::size_t branch) noexcept {
  if (sample.ended()) return;
  const std::vector<SlotId>& given = choice.branches[branch].results;
  for (std::size_t i = 0; i < given.size(); ++i) sample.alias(choice.results[i], given[i]);
}

void Runner::begin(Sample& sample, const Loop& loop) noexcept {
  if (sample.ended()) return;
  sample.counters.add(loop.counter, 1);
  sample.execution_path.enter(loop);
  sample.get<std::int64_t>(loop.iteration) = 0;
  for (std::size_t i = 0; i < loop.state.size(); ++i) sample.alias(loop.state[i], loop.init[i]);
}

bool Runner::wants_another(Sample& sample, const Loop& loop) noexcept {
  if (cancelled_.load(std::memory_order_relaxed)) sample.cancel();
  if (sample.ended()) {
    sample.execution_path.end();
    return false;
  }
  if (sample.get<bool>(loop.condition.results[0])) {
    if (sample.get<std::int64_t>(loop.iteration) < loop.max_iterations) {
      sample.counters.add(loop.counter + 1, 1);
      return true;
    }
    capture_error(
        sample, [&]() -> const std::string& { return loop.name; },
        [&] {
          sample.fail(loop.name, "exceeds max_iterations (" +
                                     counted(loop.max_iterations, "iteration") +
                                     "); raise it if the loop is right");
        });
    sample.execution_path.end();
    return false;
  }
  sample.execution_path.leave(loop);
  for (std::size_t i = 0; i < loop.results.size(); ++i)
    sample.alias(loop.results[i], loop.state[i]);
  for (const SlotId slot : loop.releases) sample.release(slot);
  return false;
}

void Runner::carry(Sample& sample, const Loop& loop) noexcept {
  if (sample.ended()) return;
  capture_error(
      sample, [&]() -> const std::string& { return loop.name; }, [&] { sample.carry(loop); });
  if (sample.ended()) return;
  sample.execution_path.repeat(loop);
  ++sample.get<std::int64_t>(loop.iteration);
}

}  // namespace sluice::detail
