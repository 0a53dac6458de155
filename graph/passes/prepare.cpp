// prepare: the passes one after another; number, the last of them; explain, which shows each.
#include <sluice/graph/passes/passes.h>

#include <utility>

namespace sluice::detail {
namespace {

struct Pass {
  std::string_view name;
  Plan (*run)(Plan);
};
constexpr Pass kPasses[] = {{"prune", prune},    {"sink", sink}, {"push_crops", push_crops},
                            {"carry", carry},    {"fuse", fuse}, {"place", place},
                            {"release", release}};

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
  const auto for_each_node = [&](const auto& visit) {
    for_each_block(plan.top, [&](Block& block) {
      for (Node& node : block.nodes) visit(node);
    });
  };
  for_each_node([&](Node& node) {
    if (auto* branch = std::get_if<Branch>(&node)) take(branch->counter, branch->arms.size());
    if (auto* loop = std::get_if<Loop>(&node)) take(loop->counter, 2);
    if (auto* stage = std::get_if<Stage>(&node)) {
      for (Step& step : stage->steps) take(step.event_counter, step.events().size());
    }
  });
  plan.path_counters = next;
  for_each_node([&](Node& node) {
    auto* stage = std::get_if<Stage>(&node);
    if (stage == nullptr) return;
    for (Step& step : stage->steps) take(step.counter, 2);
  });
  plan.counters = next;
  return plan;
}

Plan prepare(Plan plan, const PassObserver& observer) {
  check(plan);
  for (const Pass& pass : kPasses) {
    plan = pass.run(std::move(plan));
    if (observer) observer(pass.name, plan);
  }
  return number(std::move(plan));
}

std::string explain(const Plan& recorded) {
  std::string before = to_string(recorded);
  std::string text = "as recorded:\n" + indented(before);
  (void)prepare(recorded, [&](std::string_view pass, const Plan& after) {
    std::string now = to_string(after);
    text += std::string(pass) + ":" + (now == before ? " no change\n" : "\n" + indented(now));
    before = std::move(now);
  });
  return text;
}

}  // namespace sluice::detail
