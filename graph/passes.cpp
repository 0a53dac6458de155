#include <sluice/graph/passes.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <set>
#include <utility>

namespace sluice {
namespace {

bool inside(const Plan& plan, ScopeId scope, ScopeId outer) {
  while (scope != outer && scope != 0) scope = plan.scopes[scope].parent;
  return scope == outer;
}

void check_use(const Plan& plan, SlotId slot, ScopeId scope, const std::string& user) {
  if (slot >= plan.slots.size())
    throw BuildError("'" + user + "' uses slot " + std::to_string(slot) + ", which does not exist");
  const ScopeId home = plan.slots[slot].scope;
  if (inside(plan, scope, home)) return;
  throw BuildError("'" + user + "' uses the value '" + plan.slots[slot].name +
                   "', which exists only inside " + plan.scopes[home].name +
                   "; return it from that arm to use it outside");
}

void check_branch(const Plan& plan, const Branch& branch, ScopeId scope) {
  if (branch.arms.empty()) throw BuildError("'" + branch.name + "' has no arms");
  for (const SlotId slot : branch.reads) check_use(plan, slot, scope, branch.name);
  for (std::size_t a = 0; a < branch.arms.size(); ++a) {
    const Block& arm = branch.arms[a];
    if (arm.results.size() != branch.results.size()) {
      throw BuildError("'" + branch.name + "': the arm '" + branch.arm_names[a] + "' gives " +
                       std::to_string(arm.results.size()) + " values, but '" + branch.arm_names[0] +
                       "' gives " + std::to_string(branch.results.size()));
    }
    for (std::size_t i = 0; i < arm.results.size(); ++i) {
      check_use(plan, arm.results[i], arm.scope, branch.name);
      const SlotType* given = plan.slots[arm.results[i]].type;
      const SlotType* wanted = plan.slots[branch.results[i]].type;
      if (given != wanted) {
        throw BuildError("'" + branch.name + "': result " + std::to_string(i) + " of the arm '" +
                         branch.arm_names[a] + "' is " + std::string(given->name) + ", but '" +
                         branch.arm_names[0] + "' gives " + std::string(wanted->name));
      }
    }
  }
}

using Slots = std::set<SlotId>;

void insert(Slots& slots, const std::vector<SlotId>& more) {
  slots.insert(more.begin(), more.end());
}

bool any_of(const Slots& slots, const std::vector<SlotId>& some) {
  return std::any_of(some.begin(), some.end(), [&](SlotId s) { return slots.count(s) > 0; });
}

bool has_effect(const Block& block) {
  bool found = false;
  for_each_block(block, [&](const Block& b) {
    for (const Node& node : b.nodes) {
      if (const auto* stage = std::get_if<Stage>(&node)) {
        for (const Step& step : stage->steps) found = found || step.effect;
      }
    }
  });
  return found;
}

// Backwards through the block: keeps what `needed` asks for, and adds what the kept steps ask for.
void prune_block(Block& block, Slots& needed) {
  std::vector<Node> kept;
  for (auto it = block.nodes.rbegin(); it != block.nodes.rend(); ++it) {
    if (auto* stage = std::get_if<Stage>(&*it)) {
      std::vector<Step> steps;
      for (auto step = stage->steps.rbegin(); step != stage->steps.rend(); ++step) {
        if (!step->effect && !any_of(needed, step->writes)) continue;
        insert(needed, step->reads);
        steps.push_back(std::move(*step));
      }
      if (steps.empty()) continue;
      std::reverse(steps.begin(), steps.end());
      kept.push_back(Stage{std::move(steps)});
      continue;
    }
    auto& branch = std::get<Branch>(*it);
    const bool effect = std::any_of(branch.arms.begin(), branch.arms.end(),
                                    [](const Block& arm) { return has_effect(arm); });
    if (!effect && !any_of(needed, branch.results)) continue;
    // Results that nobody reads are not made.
    for (std::size_t i = branch.results.size(); i-- > 0;) {
      if (needed.count(branch.results[i]) > 0) continue;
      const auto at = static_cast<std::ptrdiff_t>(i);
      branch.results.erase(branch.results.begin() + at);
      for (Block& arm : branch.arms) arm.results.erase(arm.results.begin() + at);
    }
    for (Block& arm : branch.arms) {
      insert(needed, arm.results);
      prune_block(arm, needed);
    }
    insert(needed, branch.reads);
    kept.push_back(std::move(*it));
  }
  std::reverse(kept.begin(), kept.end());
  block.nodes = std::move(kept);
}

void collect_uses(const Block& block, Slots& uses) {
  for_each_block(block, [&](const Block& b) {
    insert(uses, b.results);
    for (const Node& node : b.nodes) {
      if (const auto* stage = std::get_if<Stage>(&node)) {
        for (const Step& step : stage->steps) insert(uses, step.reads);
      } else {
        insert(uses, std::get<Branch>(node).reads);
      }
    }
  });
}

// The one arm of a branch of `nodes` that holds every use of `writes`; null when there is no such
// arm. `after` are the nodes behind the step, `outside` the uses that follow the block.
Block* only_user(std::vector<Node>& nodes, std::size_t after, const std::vector<SlotId>& writes,
                 const Slots& outside) {
  if (any_of(outside, writes)) return nullptr;
  Block* user = nullptr;
  for (std::size_t i = after; i < nodes.size(); ++i) {
    if (auto* stage = std::get_if<Stage>(&nodes[i])) {
      for (const Step& step : stage->steps) {
        if (any_of({step.reads.begin(), step.reads.end()}, writes)) return nullptr;
      }
      continue;
    }
    auto& branch = std::get<Branch>(nodes[i]);
    if (any_of({branch.reads.begin(), branch.reads.end()}, writes)) return nullptr;
    for (Block& arm : branch.arms) {
      Slots uses;
      collect_uses(arm, uses);
      if (!any_of(uses, writes)) continue;
      if (user != nullptr) return nullptr;
      user = &arm;
    }
  }
  return user;
}

void move_scope(Plan& plan, const Step& step, ScopeId scope) {
  for (const SlotId slot : step.writes) plan.slots[slot].scope = scope;
}

// Stages hold one step each at this point. Backwards, so that a chain of steps sinks as a whole.
void sink_block(Plan& plan, Block& block, const Slots& outside) {
  for (std::size_t i = block.nodes.size(); i-- > 0;) {
    auto* stage = std::get_if<Stage>(&block.nodes[i]);
    if (stage == nullptr || stage->steps.front().pinned || stage->steps.front().effect) continue;
    Block* arm = only_user(block.nodes, i + 1, stage->steps.front().writes, outside);
    if (arm == nullptr) continue;
    move_scope(plan, stage->steps.front(), arm->scope);
    arm->nodes.insert(arm->nodes.begin(), std::move(block.nodes[i]));
    block.nodes.erase(block.nodes.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (Node& node : block.nodes) {
    auto* branch = std::get_if<Branch>(&node);
    if (branch == nullptr) continue;
    for (Block& arm : branch->arms)
      sink_block(plan, arm, Slots(arm.results.begin(), arm.results.end()));
  }
}

void split_stages(Block& block) {
  for_each_block(block, [](Block& b) {
    std::vector<Node> single;
    for (Node& node : b.nodes) {
      if (auto* stage = std::get_if<Stage>(&node)) {
        for (Step& step : stage->steps) {
          Stage one;
          one.steps.push_back(std::move(step));
          single.emplace_back(std::move(one));
        }
      } else {
        single.push_back(std::move(node));
      }
    }
    b.nodes = std::move(single);
  });
}

}  // namespace

void check(const Plan& plan) {
  if (plan.samples < 0)
    throw BuildError("the pipeline has no source: add g.source(...) or g.read(...)");
  if (plan.outputs.empty())
    throw BuildError("the pipeline has no outputs: return at least one value");
  for (const SlotId slot : plan.outputs) check_use(plan, slot, 0, "the pipeline's result");
  for_each_block(plan.top, [&](const Block& block) {
    for (const Node& node : block.nodes) {
      if (const auto* stage = std::get_if<Stage>(&node)) {
        for (const Step& step : stage->steps) {
          if (!step.run) throw BuildError("the step '" + step.name + "' has nothing to run");
          for (const SlotId slot : step.reads) check_use(plan, slot, block.scope, step.name);
        }
      } else {
        check_branch(plan, std::get<Branch>(node), block.scope);
      }
    }
  });
}

Plan prune(Plan plan) {
  Slots needed(plan.outputs.begin(), plan.outputs.end());
  prune_block(plan.top, needed);
  return plan;
}

Plan sink(Plan plan) {
  split_stages(plan.top);
  sink_block(plan, plan.top, Slots(plan.outputs.begin(), plan.outputs.end()));
  return plan;
}

Plan fuse(Plan plan) {
  for_each_block(plan.top, [](Block& block) {
    std::vector<Node> joined;
    for (Node& node : block.nodes) {
      auto* stage = std::get_if<Stage>(&node);
      auto* before = joined.empty() ? nullptr : std::get_if<Stage>(&joined.back());
      if (stage == nullptr || before == nullptr) {
        joined.push_back(std::move(node));
        continue;
      }
      for (Step& step : stage->steps) before->steps.push_back(std::move(step));
    }
    block.nodes = std::move(joined);
  });
  return plan;
}

Plan prepare(Plan plan) {
  check(plan);
  return release(place(fuse(sink(prune(std::move(plan))))));
}

}  // namespace sluice
