// prepare: runs the passes in order. Also the small passes, and explain, which shows each pass.
#include <sluice/graph/passes/passes.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/uses.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <utility>

namespace sluice::detail {
namespace {

void check_use(const Plan& plan, SlotId slot, ScopeId scope, const std::string& user) {
  if (slot >= plan.slots.size())
    throw BuildError("'" + user + "' uses slot " + std::to_string(slot) + ", which does not exist");
  require_visible(plan, slot, scope, user);
}

void check_node(const Plan& plan, const Stage& stage, ScopeId scope) {
  for (const Step& step : stage.steps) {
    if (!step.run) throw BuildError("the step '" + step.name + "' has nothing to run");
    for (const SlotId slot : step.reads) check_use(plan, slot, scope, step.name);
  }
}

void check_node(const Plan& plan, const Choice& choice, ScopeId scope) {
  if (choice.branches.empty()) throw BuildError("'" + choice.name + "' has no branches");
  for (const SlotId slot : choice.reads) check_use(plan, slot, scope, choice.name);
  for (std::size_t a = 0; a < choice.branches.size(); ++a) {
    const Block& branch = choice.branches[a];
    if (branch.results.size() != choice.results.size()) {
      throw BuildError("'" + choice.name + "': the branch '" + choice.branch_names[a] + "' gives " +
                       std::to_string(branch.results.size()) + " values, but '" +
                       choice.branch_names[0] + "' gives " + std::to_string(choice.results.size()));
    }
    for (std::size_t i = 0; i < branch.results.size(); ++i) {
      check_use(plan, branch.results[i], branch.scope, choice.name);
      const SlotType* given = plan.slots[branch.results[i]].type;
      const SlotType* wanted = plan.slots[choice.results[i]].type;
      if (given != wanted) {
        throw BuildError("'" + choice.name + "': result " + std::to_string(i) + " of the branch '" +
                         choice.branch_names[a] + "' is " + std::string(given->name) + ", but '" +
                         choice.branch_names[0] + "' gives " + std::string(wanted->name));
      }
    }
  }
}

void check_node(const Plan& plan, const Loop& loop, ScopeId scope) {
  for (const SlotId slot : loop.init) check_use(plan, slot, scope, loop.name);
  check_use(plan, loop.condition.results.at(0), loop.condition.scope, loop.name);
  if (plan.slots[loop.condition.results[0]].type != slot_type<bool>()) {
    throw BuildError("'" + loop.name + "': the condition must be a bool, not " +
                     std::string(short_name(plan.slots[loop.condition.results[0]].type->name)));
  }
  if (loop.max_iterations < 0)
    throw BuildError("'" + loop.name + "': max_iterations must be at least 0, not " +
                     std::to_string(loop.max_iterations));
  if (loop.body.results.size() != loop.state.size()) {
    throw BuildError("'" + loop.name + "': the body gives " +
                     std::to_string(loop.body.results.size()) + " values, but " +
                     std::to_string(loop.state.size()) + " are carried");
  }
  for (std::size_t i = 0; i < loop.state.size(); ++i) {
    check_use(plan, loop.body.results[i], loop.body.scope, loop.name);
    const SlotType* given = plan.slots[loop.body.results[i]].type;
    const SlotType* wanted = plan.slots[loop.init[i]].type;
    if (given != wanted) {
      throw BuildError("'" + loop.name + "': carried value " + std::to_string(i) + " begins as " +
                       std::string(wanted->name) + ", but the body gives " +
                       std::string(given->name));
    }
  }
}

// Walks backwards through the block. Keeps the steps whose outputs are in `needed`, and adds their
// inputs to it.
void prune_block(const Plan& plan, Block& block, Slots& needed);

void prune_node(const Plan&, Stage& stage, Slots& needed) {
  std::vector<Step> steps;
  for (auto step = stage.steps.rbegin(); step != stage.steps.rend(); ++step) {
    if (!step->has_effect() && !any_of(needed, step->writes)) continue;
    insert(needed, step->reads);
    steps.push_back(std::move(*step));
  }
  std::reverse(steps.begin(), steps.end());
  stage.steps = std::move(steps);
}

void prune_node(const Plan& plan, Choice& choice, Slots& needed) {
  // Removes results that are not read.
  for (std::size_t i = choice.results.size(); i-- > 0;) {
    if (needed.count(choice.results[i]) > 0) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    choice.results.erase(choice.results.begin() + at);
    for (Block& branch : choice.branches) branch.results.erase(branch.results.begin() + at);
  }
  for (Block& branch : choice.branches) {
    insert(needed, branch.results);
    prune_block(plan, branch, needed);
  }
  insert(needed, choice.reads);
}

void prune_node(const Plan& plan, Loop& loop, Slots& needed) {
  // The next iteration may use any value of this one, so every carried value is needed.
  insert(needed, loop.condition.results);
  insert(needed, loop.body.results);
  prune_block(plan, loop.body, needed);
  prune_block(plan, loop.condition, needed);
  insert(needed, loop.init);
}

void prune_block(const Plan& plan, Block& block, Slots& needed) {
  std::vector<Node> kept;
  for (auto it = block.nodes.rbegin(); it != block.nodes.rend(); ++it) {
    if (!has_effect(*it) && !any_of(needed, writes_of(plan, *it))) continue;
    visit(*it, [&](auto& part) { prune_node(plan, part, needed); });
    kept.push_back(std::move(*it));
  }
  std::reverse(kept.begin(), kept.end());
  block.nodes = std::move(kept);
}

}  // namespace

void check(const Plan& plan) {
  if (plan.samples < 0)
    throw BuildError("the pipeline has no source; add one that says what samples there are");
  if (plan.outputs.empty())
    throw BuildError("the pipeline has no outputs: return at least one value");
  for (const SlotId slot : plan.outputs) check_use(plan, slot, 0, "the pipeline's result");
  for_each_block(plan.top, [&](const Block& block) {
    for (const Node& node : block.nodes) {
      visit(node, [&](const auto& part) { check_node(plan, part, block.scope); });
    }
  });
}

Plan prune(Plan plan) {
  Slots needed(plan.outputs.begin(), plan.outputs.end());
  prune_block(plan, plan.top, needed);
  return plan;
}

// The steps of a GPU batch read their parameters before the device begins. So a number that it
// computes is available only to the next GPU batch.
static bool needs_result_of(const Plan& plan, const Stage& stage, const Stage& before) {
  Slots told;
  for (const Step& step : before.steps) {
    for (const SlotId slot : step.writes) {
      if (plan.slots[slot].from_device) told.insert(slot);
    }
  }
  return std::any_of(stage.steps.begin(), stage.steps.end(),
                     [&](const Step& step) { return any_of(told, step.reads); });
}

// True if the stage needs nothing of the sample, so that it may run before the node in front of it.
// Sluice's own operators cannot fail here, since their constants were checked. If a user's operator
// and the step in front both fail, the sample's error is that of the user's operator.
static bool needs_nothing(const Stage& stage) {
  return std::all_of(stage.steps.begin(), stage.steps.end(), [](const Step& step) {
    return step.kind == StepKind::cpu && step.op != nullptr && step.reads.empty() &&
           !step.has_effect() && !step.pinned;
  });
}

// Returns the stage that the steps of `stage` join: the last one of `joined` or the one in front of
// that. Null if they begin a new stage.
static Stage* stage_for(const Plan& plan, const Stage& stage, std::vector<Node>& joined) {
  auto* before = joined.empty() ? nullptr : std::get_if<Stage>(&joined.back());
  if (before == nullptr) return nullptr;
  if (stage.kind() == before->kind()) {
    const bool joins = stage.kind() == StepKind::cpu ||
                       (stage.kind() == StepKind::stream && !needs_result_of(plan, stage, *before));
    return joins ? before : nullptr;
  }
  // A random draw between two device steps does not separate them.
  if (before->kind() != StepKind::stream || !needs_nothing(stage)) return nullptr;
  auto* first = joined.size() < 2 ? nullptr : std::get_if<Stage>(&joined[joined.size() - 2]);
  if (first == nullptr || first->kind() != StepKind::cpu)
    first = &std::get<Stage>(*joined.insert(joined.end() - 1, Stage()));
  return first;
}

Plan fuse(Plan plan) {
  for_each_block(plan.top, [&](Block& block) {
    std::vector<Node> joined;
    for (Node& node : block.nodes) {
      auto* stage = std::get_if<Stage>(&node);
      Stage* const to = stage == nullptr ? nullptr : stage_for(plan, *stage, joined);
      if (to == nullptr) {
        joined.push_back(std::move(node));
        continue;
      }
      for (Step& step : stage->steps) to->steps.push_back(std::move(step));
    }
    block.nodes = std::move(joined);
  });
  return plan;
}

namespace {

struct Pass {
  std::string_view name;
  Plan (*run)(Plan);
  bool lets_values_be_seen = true;  // values stay in their steps' slots until the sample has ended
  bool composes = false;            // runs only on request
  bool needs_batches = false;       // only for samples that become part of a batch
};
constexpr Pass kPasses[] = {{"prune", prune},
                            {"sink", sink},
                            {"push_crops", push_crops},
                            {"compose", compose, false, true},
                            {"split_for_device", split_for_device},
                            {"fuse_kernels", fuse_kernels, false},
                            {"carry", carry},
                            {"fuse", fuse, false},
                            {"join_device_batches", join_device_batches, false},
                            {"place_outputs", place_outputs, false, false, true},
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
        [&](Choice& choice) { take(choice.counter, choice.branches.size()); },
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

Plan prepare_to_evaluate(Plan plan) {
  check(plan);
  for (const Pass& pass : kPasses) {
    if (!pass.composes && !pass.needs_batches) plan = pass.run(std::move(plan));
  }
  return number(std::move(plan));
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
