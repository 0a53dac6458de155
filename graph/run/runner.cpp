#include <sluice/graph/run/guarded.h>
#include <sluice/graph/run/runner.h>

#include <chrono>
#include <string>
#include <type_traits>

namespace sluice::detail {
namespace {

// Notes runs of steps that follow each other: one look at the clock for each.
class StepClock {
 public:
  void ran(Frame& frame, const Step& step) {
    const Clock::time_point now = Clock::now();
    frame.tally.add(step.counter, 1);
    frame.tally.add(step.counter + 1, std::chrono::nanoseconds(now - since_).count());
    since_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point since_ = Clock::now();
};
struct NoClock {
  void ran(Frame&, const Step&) {}
};

}  // namespace

void Runner::run(Frame& frame, const Stage& stage) noexcept {
  if (cancelled_.load(std::memory_order_relaxed)) frame.cancel();
  if (frame.ended()) return;
  if (frame.tally.timed()) {
    run_steps<true>(frame, stage);
  } else {
    run_steps<false>(frame, stage);
  }
}

template <bool kTimed>
void Runner::run_steps(Frame& frame, const Stage& stage) noexcept {
  const BufferPoolScope scope(pool_);
  frame.enter_stage();
  const Step* current = nullptr;
  std::conditional_t<kTimed, StepClock, NoClock> clock;
  guarded(
      frame, [&]() -> const std::string& { return current->name; },
      [&] {
        for (const Step& step : stage.steps) {
          current = &step;
          frame.enter(current);
          step.run(frame);
          if (frame.ended()) break;
          for (const SlotId slot : step.releases) frame.release(slot);
          clock.ran(frame, step);
        }
      });
  if (frame.ended()) clock.ran(frame, *current);
  frame.enter(nullptr);
  frame.bytes_allocated += scope.bytes_allocated();
}

std::size_t Runner::choose(Frame& frame, const Branch& branch) noexcept {
  if (frame.ended()) return 0;
  std::size_t taken = 0;
  guarded(
      frame, [&]() -> const std::string& { return branch.name; },
      [&] {
        const std::int64_t arm = branch.choose(frame);
        if (arm < 0 || arm >= static_cast<std::int64_t>(branch.arms.size())) {
          frame.fail(branch.name, "the index is " + std::to_string(arm) +
                                      ", but the arms are numbered 0 to " +
                                      std::to_string(branch.arms.size() - 1));
          return;
        }
        taken = static_cast<std::size_t>(arm);
        frame.take_arm(branch, static_cast<std::uint32_t>(taken));
        for (const SlotId slot : branch.arms[taken].releases) frame.release(slot);
        if (branch.arms[taken].nodes.empty()) give_results(frame, branch, taken);
      });
  return taken;
}

void Runner::give_results(Frame& frame, const Branch& branch, std::size_t arm) noexcept {
  if (frame.ended()) return;
  const std::vector<SlotId>& given = branch.arms[arm].results;
  for (std::size_t i = 0; i < given.size(); ++i) frame.alias(branch.results[i], given[i]);
}

void Runner::begin(Frame& frame, const Loop& loop) noexcept {
  if (frame.ended()) return;
  frame.tally.add(loop.counter, 1);
  frame.trail.enter(loop);
  frame.get<std::int64_t>(loop.iteration) = 0;
  for (std::size_t i = 0; i < loop.state.size(); ++i) frame.alias(loop.state[i], loop.init[i]);
}

bool Runner::wants_another(Frame& frame, const Loop& loop) noexcept {
  if (cancelled_.load(std::memory_order_relaxed)) frame.cancel();
  if (frame.ended()) {
    frame.trail.end();
    return false;
  }
  if (frame.get<bool>(loop.condition.results[0])) {
    if (frame.get<std::int64_t>(loop.iteration) < loop.max_iterations) {
      frame.tally.add(loop.counter + 1, 1);
      return true;
    }
    guarded(
        frame, [&]() -> const std::string& { return loop.name; },
        [&] {
          frame.fail(loop.name,
                     "wants more than " + std::to_string(loop.max_iterations) +
                         " iterations, which is its max_iterations; raise it if the loop is right");
        });
    frame.trail.end();
    return false;
  }
  frame.trail.leave(loop);
  for (std::size_t i = 0; i < loop.results.size(); ++i) frame.alias(loop.results[i], loop.state[i]);
  for (const SlotId slot : loop.releases) frame.release(slot);
  return false;
}

void Runner::carry(Frame& frame, const Loop& loop) noexcept {
  if (frame.ended()) return;
  guarded(
      frame, [&]() -> const std::string& { return loop.name; }, [&] { frame.carry(loop); });
  if (frame.ended()) return;
  frame.trail.repeat(loop);
  ++frame.get<std::int64_t>(loop.iteration);
}

}  // namespace sluice::detail
