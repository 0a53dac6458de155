#include <sluice/graph/run/device_work.h>
#include <sluice/graph/run/guarded.h>
#include <sluice/graph/run/runner.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace sluice::detail {
namespace {

void count(Sample& sample, const Step& step, std::chrono::nanoseconds took) {
  sample.tally.add(step.counter, 1);
  sample.tally.add(step.counter + 1, took.count());
}

// Notes runs of steps that follow each other: one look at the clock for each.
class StepClock {
 public:
  void ran(Sample& sample, const Step& step) {
    const Clock::time_point now = Clock::now();
    count(sample, step, now - since_);
    since_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point since_ = Clock::now();
};
struct NoClock {
  void ran(Sample&, const Step&) {}
};
// The same for a trace, and for the tally where that is timed.
class TraceClock {
 public:
  explicit TraceClock(PipelineTrace& trace) : trace_(trace) {}
  void ran(Sample& sample, const Step& step) {
    const Trace::Time now = Trace::Clock::now();
    if (sample.tally.timed()) count(sample, step, now - since_);
    trace_.ran(sample, step, since_, now);
    since_ = now;
  }

 private:
  PipelineTrace& trace_;
  Trace::Time since_ = Trace::Clock::now();
};

// Lets a thread stand still until the wait is over.
class StandStill : public WaitListener {
 public:
  void wait_is_over(Sample&) noexcept override {
    const std::lock_guard lock(mutex_);  // held until all is said: then this may be gone
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
    run_steps(sample, stage, TraceClock(*trace_));
  } else if (sample.tally.timed()) {
    run_steps(sample, stage, StepClock());
  } else {
    run_steps(sample, stage, NoClock());
  }
}

template <class StepClock>
void Runner::run_steps(Sample& sample, const Stage& stage, StepClock clock) noexcept {
  const BufferPoolScope scope(pool_);
  const DeviceMemory::Scope device(device_ != nullptr ? &device_->memory : nullptr);
  sample.enter_stage();
  const Step* current = nullptr;
  guarded(
      sample, [&]() -> const std::string& { return current->name; },
      [&] {
        for (const Step& step : stage.steps) {
          current = &step;
          sample.enter(current);
          step.run(sample);
          if (sample.ended()) break;
          for (const SlotId slot : step.releases) sample.release(slot);
          clock.ran(sample, step);
        }
      });
  if (sample.ended()) clock.ran(sample, *current);
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
  wait.begin(listener, pool_);
  if (sample.tally.timed() || trace_ != nullptr) wait.since = Wait::Clock::now();
  {
    const BufferPoolScope scope(pool_);
    const WorkScope work(sample.plan());
    try {
      step.run(sample);
    } catch (...) {
      // Whoever has the handle may be writing the sample's outcome now.
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
    guarded(
        sample, [&]() -> const std::string& { return step.name; },
        [&] { std::rethrow_exception(std::exchange(wait.thrown, nullptr)); });
  }
  if (!sample.ended()) {
    for (const SlotId slot : step.releases) sample.release(slot);
  }
  if (sample.tally.timed() || trace_ != nullptr) {
    const Wait::Clock::time_point now = Wait::Clock::now();
    if (sample.tally.timed()) count(sample, step, now - wait.since);
    if (trace_ != nullptr) trace_->waited(sample, step, wait.since, now);
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
  if (trace_ != nullptr) sample.wait.since = Wait::Clock::now();
  return false;
}

void Runner::run_io(Sample& sample, const Stage& stage) noexcept {
  run(sample, stage);
  sample.enter(nullptr);
  sample.bytes_waiting = sample.bytes_allocated;
  if (trace_ != nullptr)
    trace_->waited(sample, stage.steps.front(), sample.wait.since, Wait::Clock::now());
}

void Runner::run_and_wait(Sample& sample, const Stage& stage) noexcept {
  StandStill here;
  if (begin_wait(sample, stage, here)) return;
  here.wait();
  end_wait(sample);
}

void Runner::begin_gather(Sample& sample, const Stage& stage) noexcept {
  if (cancelled_.load(std::memory_order_relaxed)) sample.cancel();
  if (sample.ended()) return;
  sample.enter_stage();
  sample.enter(&stage.steps.front());
  sample.given_back = nullptr;
  if (sample.tally.timed() || trace_ != nullptr) sample.wait.since = Wait::Clock::now();
}

bool Runner::gather(Sample& sample, const Stage& stage, Gather& gather, Memory without) noexcept {
  if (cancelled_.load(std::memory_order_relaxed)) sample.cancel();
  if (sample.ended()) return true;
  bool short_of_memory = false;
  const BufferPoolScope scope(device_->memory.values);
  gather.begin_sample(sample);
  for (std::size_t i = 0; i < stage.steps.size() && !sample.ended() && !short_of_memory; ++i) {
    const Step& step = stage.steps[i];
    const Gather::Scope jobs(gather, i);
    sample.enter(&step);  // whose warnings and events are noted
    guarded(
        sample, [&]() -> const std::string& { return step.name; },
        [&] {
          try {
            step.run(sample);
          } catch (const std::bad_alloc&) {
            if (without == Memory::fails) throw;
            short_of_memory = true;
          }
        });
  }
  sample.enter(&stage.steps.front());
  return !short_of_memory;
}

void Runner::take_back(Sample& sample, const Stage& stage) noexcept {
  if (sample.ended()) return;
  for (const Step& step : stage.steps) {
    for (const SlotId slot : step.writes) {
      // Others are asked for their memory anew, and give back what they had.
      if (sample.plan().slots[slot].output < 0) sample.release(slot);
    }
  }
}

bool Runner::is_over(Gather& gather) {
  if (!gather.over()) return false;
  gather.check();
  return true;
}

void Runner::do_on_host(Sample& sample, const Stage& stage) noexcept {
  const Step& step = *std::exchange(sample.given_back, nullptr);
  if (cancelled_.load(std::memory_order_relaxed)) sample.cancel();
  if (sample.ended()) return;
  Gather nowhere(device_->memory);
  {
    const Gather::Scope jobs(nowhere, 0);
    sample.enter(&step);
    guarded(
        sample, [&]() -> const std::string& { return step.name; }, [&] { step.run(sample); });
    sample.enter(&stage.steps.front());
  }
  take_back(sample, stage);
}

void Runner::end_gather(Sample& sample, const Stage& stage) noexcept {
  if (sample.running() == nullptr) return;  // it had ended when it came
  const Wait::Clock::time_point now =
      sample.tally.timed() || trace_ != nullptr ? Wait::Clock::now() : Wait::Clock::time_point();
  // The device does one step for many samples: how long it took for one nobody knows.
  auto took = now - sample.wait.since;
  for (const Step& step : stage.steps) {
    if (!sample.ended()) {
      for (const SlotId slot : step.releases) sample.release(slot);
    }
    if (sample.tally.timed())
      count(sample, step, std::exchange(took, Wait::Clock::duration::zero()));
  }
  if (trace_ != nullptr) trace_->waited(sample, stage.steps.front(), sample.wait.since, now);
  sample.bytes_waiting = sample.bytes_allocated;
  sample.enter(nullptr);
}

void Runner::fail_gather(Sample& sample, const Stage& stage, const std::exception_ptr& why,
                         std::optional<std::size_t> step) noexcept {
  if (sample.ended()) return;
  guarded(
      sample, [&]() -> const std::string& { return stage.steps[step.value_or(0)].name; },
      [&] { std::rethrow_exception(why); });
}

void Runner::run_on_device(Sample& sample, const Stage& stage) noexcept {
  begin_gather(sample, stage);
  std::optional<std::size_t> step;
  try {
    Gather alone(*device_->device, device_->memory, stage.steps.size());
    do {
      if (sample.given_back != nullptr) do_on_host(sample, stage);
      alone.clear();
      gather(sample, stage, alone);
      try {
        alone.launch();
        while (!is_over(alone)) std::this_thread::yield();
      } catch (...) {
        step = alone.failed_step();
        alone.abandon();
        throw;
      }
    } while (sample.given_back != nullptr);
  } catch (...) {
    fail_gather(sample, stage, std::current_exception(), step);
  }
  end_gather(sample, stage);
}

std::size_t Runner::choose(Sample& sample, const Branch& branch) noexcept {
  if (sample.ended()) return 0;
  std::size_t taken = 0;
  guarded(
      sample, [&]() -> const std::string& { return branch.name; },
      [&] {
        const std::int64_t arm = branch.choose(sample);
        if (arm < 0 || arm >= static_cast<std::int64_t>(branch.arms.size())) {
          sample.fail(branch.name, "the index is " + std::to_string(arm) +
                                       ", but the arms are numbered 0 to " +
                                       std::to_string(branch.arms.size() - 1));
          return;
        }
        taken = static_cast<std::size_t>(arm);
        sample.take_arm(branch, static_cast<std::uint32_t>(taken));
        for (const SlotId slot : branch.arms[taken].releases) sample.release(slot);
        if (branch.arms[taken].nodes.empty()) give_results(sample, branch, taken);
      });
  return taken;
}

void Runner::give_results(Sample& sample, const Branch& branch, std::size_t arm) noexcept {
  if (sample.ended()) return;
  const std::vector<SlotId>& given = branch.arms[arm].results;
  for (std::size_t i = 0; i < given.size(); ++i) sample.alias(branch.results[i], given[i]);
}

void Runner::begin(Sample& sample, const Loop& loop) noexcept {
  if (sample.ended()) return;
  sample.tally.add(loop.counter, 1);
  sample.trail.enter(loop);
  sample.get<std::int64_t>(loop.iteration) = 0;
  for (std::size_t i = 0; i < loop.state.size(); ++i) sample.alias(loop.state[i], loop.init[i]);
}

bool Runner::wants_another(Sample& sample, const Loop& loop) noexcept {
  if (cancelled_.load(std::memory_order_relaxed)) sample.cancel();
  if (sample.ended()) {
    sample.trail.end();
    return false;
  }
  if (sample.get<bool>(loop.condition.results[0])) {
    if (sample.get<std::int64_t>(loop.iteration) < loop.max_iterations) {
      sample.tally.add(loop.counter + 1, 1);
      return true;
    }
    guarded(
        sample, [&]() -> const std::string& { return loop.name; },
        [&] {
          sample.fail(
              loop.name,
              "wants more than " + std::to_string(loop.max_iterations) +
                  " iterations, which is its max_iterations; raise it if the loop is right");
        });
    sample.trail.end();
    return false;
  }
  sample.trail.leave(loop);
  for (std::size_t i = 0; i < loop.results.size(); ++i)
    sample.alias(loop.results[i], loop.state[i]);
  for (const SlotId slot : loop.releases) sample.release(slot);
  return false;
}

void Runner::carry(Sample& sample, const Loop& loop) noexcept {
  if (sample.ended()) return;
  guarded(
      sample, [&]() -> const std::string& { return loop.name; }, [&] { sample.carry(loop); });
  if (sample.ended()) return;
  sample.trail.repeat(loop);
  ++sample.get<std::int64_t>(loop.iteration);
}

}  // namespace sluice::detail
