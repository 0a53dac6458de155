// Samples at choices and loops.
#include <sluice/graph/run/guarded.h>
#include <sluice/graph/run/runner.h>

#include <optional>
#include <string>

namespace sluice::detail {

std::optional<std::size_t> Runner::arm_for(Sample& sample, const Branch& branch) {
  const std::int64_t arm = branch.choose(sample);
  if (arm >= 0 && arm < static_cast<std::int64_t>(branch.arms.size()))
    return static_cast<std::size_t>(arm);
  sample.fail(branch.name, "the index is " + std::to_string(arm) +
                               ", but the arms are numbered 0 to " +
                               std::to_string(branch.arms.size() - 1));
  return std::nullopt;
}

std::size_t Runner::choose(Sample& sample, const Branch& branch) noexcept {
  if (sample.ended()) return 0;
  std::size_t taken = 0;
  guarded(
      sample, [&]() -> const std::string& { return branch.name; },
      [&] {
        const std::optional<std::size_t> arm = arm_for(sample, branch);
        if (!arm) return;
        taken = *arm;
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
