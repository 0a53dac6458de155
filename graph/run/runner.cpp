#include <sluice/graph/run/device_work.h>
#include <sluice/graph/run/guarded.h>
#include <sluice/graph/run/runner.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
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

// Gives the bytes that it took of memory which is not the pipeline's own.
std::size_t Runner::run_step(Sample& sample, const Step& step) {
  if (!step.for_device) {
    step.run(sample);
    return 0;
  }
  const BufferPoolScope scope(device_->memory.pinned);
  step.run(sample);
  return scope.bytes_allocated();
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
          sample.bytes_allocated += run_step(sample, step);
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
  BufferPool& pool = step.for_device ? device_->memory.pinned : pool_;
  wait.begin(listener, pool);
  if (sample.tally.timed() || trace_ != nullptr) wait.since = Wait::Clock::now();
  {
    const BufferPoolScope scope(pool);
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

void Runner::begin_gather(Sample& sample, const Gathering& gathering) noexcept {
  if (cancelled_.load(std::memory_order_relaxed)) sample.cancel();
  if (sample.ended()) return;
  sample.enter_stage();
  sample.enter(&gathering.front());
  sample.given_back = nullptr;
  sample.wait.arms_before = sample.trail.length();
  sample.wait.steps = 0;
  if (sample.tally.timed() || trace_ != nullptr) sample.wait.since = Wait::Clock::now();
}

bool Runner::gather(Sample& sample, const Gathering& gathering, Gather& gather,
                    Memory without) noexcept {
  if (cancelled_.load(std::memory_order_relaxed)) sample.cancel();
  if (sample.ended()) return true;
  bool short_of_memory = false;
  const BufferPoolScope scope(device_->memory.values);
  gather.begin_sample(sample);
  // It may have been added before, to a gather that gives it back.
  sample.trail.cut_back(sample.wait.arms_before);
  sample.wait.steps = 0;
  const std::vector<Gathering::Part>& parts = gathering.parts();
  for (std::size_t at = 0; at < parts.size() && !sample.ended() && !short_of_memory;) {
    const Gathering::Part& part = parts[at];
    at = part.next;
    if (part.step != nullptr) {
      const Gather::Scope jobs(gather, part.number);
      ++sample.wait.steps;
      short_of_memory = !add_to_gather(sample, *part.step, without);
    } else if (part.arms.empty()) {
      give_results(sample, *part.branch, part.number);
    } else {
      guarded(
          sample, [&]() -> const std::string& { return part.branch->name; },
          [&] {
            const std::optional<std::size_t> arm = arm_for(sample, *part.branch);
            if (!arm) return;
            sample.trail.take(*part.branch, static_cast<std::uint32_t>(*arm));
            at = part.arms[*arm];
          });
    }
  }
  sample.enter(&gathering.front());
  return !short_of_memory;
}

// False when there is too little memory.
bool Runner::add_to_gather(Sample& sample, const Step& step, Memory without) noexcept {
  const bool looked_at = step.kind == StepKind::cpu && (sample.tally.timed() || trace_ != nullptr);
  const Trace::Time from = looked_at ? Trace::Clock::now() : Trace::Time();
  bool enough = true;
  sample.enter(&step);  // whose warnings and events are noted
  guarded(
      sample, [&]() -> const std::string& { return step.name; },
      [&] {
        try {
          step.run(sample);
        } catch (const std::bad_alloc&) {
          if (without == Memory::fails) throw;
          enough = false;
        }
      });
  if (looked_at) {  // end_gather() counts the run
    const Trace::Time now = Trace::Clock::now();
    if (sample.tally.timed()) sample.tally.add(step.counter + 1, (now - from).count());
    if (trace_ != nullptr) trace_->ran(sample, step, from, now);
  }
  return enough;
}

void Runner::take_back(Sample& sample, const Gathering& gathering) noexcept {
  if (sample.ended()) return;
  release_made(sample, gathering);
  sample.trail.cut_back(sample.wait.arms_before);
  sample.wait.steps = 0;
}

void Runner::release_made(Sample& sample, const Gathering& gathering) noexcept {
  gathering.follow(
      sample,
      [&](const Step& step) {
        for (const SlotId slot : step.writes) {
          // Others are asked for their memory anew, and give back what they had.
          if (sample.plan().slots[slot].output < 0) sample.release(slot);
        }
      },
      [](const Branch&, std::size_t) {});
}

bool Runner::is_over(Gather& gather) {
  if (!gather.over()) return false;
  gather.check();
  return true;
}

void Runner::do_on_host(Sample& sample, const Gathering& gathering) noexcept {
  const Step& step = *std::exchange(sample.given_back, nullptr);
  if (cancelled_.load(std::memory_order_relaxed)) sample.cancel();
  if (sample.ended()) return;
  release_made(sample, gathering);
  // What comes after the step has not happened.
  std::size_t steps = 0, arms = sample.wait.arms_before;
  bool there = false;
  gathering.follow(
      sample,
      [&](const Step& other) {
        steps += there ? 0 : 1;
        there = there || &other == &step;
      },
      [&](const Branch&, std::size_t) { arms += there ? 0 : 1; });
  sample.trail.cut_back(arms);
  sample.wait.steps = steps;
  Gather nowhere(device_->memory);
  {
    const Gather::Scope jobs(nowhere, 0);
    sample.enter(&step);
    guarded(
        sample, [&]() -> const std::string& { return step.name; }, [&] { step.run(sample); });
    sample.enter(&gathering.front());
  }
  take_back(sample, gathering);
}

void Runner::give_up(Sample& sample) noexcept {
  if (!sample.ended()) sample.trail.cut_back(sample.wait.arms_before);
}

void Runner::end_gather(Sample& sample, const Gathering& gathering) noexcept {
  if (sample.running() == nullptr) return;  // it had ended when it came
  const Wait::Clock::time_point now =
      sample.tally.timed() || trace_ != nullptr ? Wait::Clock::now() : Wait::Clock::time_point();
  // The device does one step for many samples: how long it took for one nobody knows.
  auto took = now - sample.wait.since;
  const auto let_go = [&](const std::vector<SlotId>& slots) {
    if (sample.ended()) return;
    for (const SlotId slot : slots) sample.release(slot);
  };
  gathering.follow(
      sample,
      [&](const Step& step) {
        let_go(step.releases);
        if (sample.tally.timed())
          count(sample, step, std::exchange(took, Wait::Clock::duration::zero()));
      },
      [&](const Branch& branch, std::size_t arm) {
        sample.tally.add(branch.counter + static_cast<CounterId>(arm), 1);
        let_go(branch.arms[arm].releases);
      });
  if (trace_ != nullptr) trace_->waited(sample, gathering.front(), sample.wait.since, now);
  sample.bytes_waiting = sample.bytes_allocated;
  sample.enter(nullptr);
}

void Runner::fail_gather(Sample& sample, const Gathering& gathering, const std::exception_ptr& why,
                         std::optional<std::size_t> step) noexcept {
  if (sample.ended()) return;
  guarded(
      sample, [&]() -> const std::string& { return gathering.steps()[step.value_or(0)]->name; },
      [&] { std::rethrow_exception(why); });
}

void Runner::run_on_device(Sample& sample, const Stage& stage) noexcept {
  const Gathering gathering(stage);
  begin_gather(sample, gathering);
  std::optional<std::size_t> step;
  try {
    Gather alone(*device_->device, device_->memory, gathering.steps().size());
    do {
      if (sample.given_back != nullptr) do_on_host(sample, gathering);
      alone.clear();
      gather(sample, gathering, alone);
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
    fail_gather(sample, gathering, std::current_exception(), step);
  }
  end_gather(sample, gathering);
}

}  // namespace sluice::detail
