// prepare: runs the passes in order. Also number, the last pass, and explain, which shows each
// pass.
#include <sluice/graph/passes/passes.h>
#include <sluice/graph/plan/visit.h>

#include <utility>

namespace sluice::detail {
namespace {

struct Pass {
  std::string_view name;
  Plan (*run)(Plan);
  bool lets_values_be_seen = true;  // values stay in their steps' slots until the sample has ended
  bool composes = false;            // runs only on request
};
constexpr Pass kPasses[] = {{"prune", prune},
                            {"sink", sink},
                            {"push_crops", push_crops},
                            {"compose", compose, false, true},
                            {"split_for_device", split_for_device},
                            {"fuse_kernels", fuse_kernels, false},
                            {"carry", carry},
                            {"fuse", fuse, false},
                            {"join_gathers", join_gathers, false},
                            {"place_outputs", place_outputs, false},
                            {"release", release, false}};

std::string indented(const std::string& text) {
  std::string out = "  ";
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) out += "  ";
  }
  return out;
}

}  // namespace

Plan number(Plan plan) {
  CounterId next = 0;
  const auto take = [&](CounterId& counter, std::size_t count) {
    counter = next;
    next += static_cast<CounterId>(count);
  };
  for_each_node(plan.top, [&](Node& node) {
    visit(
        node,
        [&](Stage& stage) {
          for (Step& step : stage.steps) take(step.event_counter, step.events().size());
        },
        [&](Branch& branch) { take(branch.counter, branch.arms.size()); },
        [&](Loop& loop) { take(loop.counter, 2); });
  });
  plan.path_counters = next;
  for_each<Step>(plan.top, [&](Step& step) { take(step.counter, 2); });
  plan.counters = next;
  return plan;
}

Plan prepare(Plan plan, const PassObserver& observer, bool composes) {
  check(plan);
  for (const Pass& pass : kPasses) {
    if (pass.composes && !composes) continue;
    plan = pass.run(std::move(plan));
    if (observer) observer(pass.name, plan);
  }
  return number(std::move(plan));
}

Plan prepare_to_inspect(Plan plan) {
  for (const Pass& pass : kPasses) {
    if (pass.lets_values_be_seen) plan = pass.run(std::move(plan));
  }
  return plan;
}

std::string explain(const Plan& recorded, bool composes) {
  std::string before = to_string(recorded);
  std::string text = "as recorded:\n" + indented(before);
  const auto show = [&](std::string_view pass, const Plan& after) {
    std::string now = to_string(after);
    text += std::string(pass) + ":" + (now == before ? " no change\n" : "\n" + indented(now));
    before = std::move(now);
  };
  (void)prepare(recorded, show, composes);
  return text;
}

}  // namespace sluice::detail
