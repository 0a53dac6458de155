#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/uses.h>

#include <algorithm>

namespace sluice::detail {
namespace {

void append(std::vector<SlotId>& slots, const std::vector<SlotId>& more) {
  slots.insert(slots.end(), more.begin(), more.end());
}

// Returns the loop's own scope, which holds the condition and the body.
ScopeId scope_of(const Plan& plan, const Loop& loop) { return plan.scopes[loop.body.scope].parent; }

// Returns the node's own outermost scopes; the node itself is in their parent.
std::vector<ScopeId> scopes_in(const Plan& plan, const Node& node) {
  std::vector<ScopeId> scopes;
  visit(
      node, [](const Stage&) {},
      [&](const Choice& choice) {
        for (const Block& branch : choice.branches) scopes.push_back(branch.scope);
      },
      [&](const Loop& loop) { scopes = {scope_of(plan, loop)}; });
  return scopes;
}

// Returns the slots that the node itself makes in the scope that contains it.
std::vector<SlotId> outputs_of(const Node& node) {
  std::vector<SlotId> outputs;
  visit(
      node,
      [&](const Stage& stage) {
        for (const Step& step : stage.steps) append(outputs, step.writes);
      },
      [&](const Choice& choice) { outputs = choice.results; },
      [&](const Loop& loop) { outputs = loop.results; });
  return outputs;
}

}  // namespace

bool any_of(const Slots& slots, const std::vector<SlotId>& some) {
  return std::any_of(some.begin(), some.end(), [&](SlotId s) { return slots.count(s) > 0; });
}

bool made_inside(const Plan& plan, SlotId slot, const Loop& loop) {
  return inside(plan, plan.slots[slot].scope, scope_of(plan, loop));
}

bool has_effect(const Node& node) {
  bool found = false;
  for (const Step& step : steps_in(node)) found = found || step.has_effect();
  for (const Block* block : blocks_in(node))
    for_each<Step>(*block, [&](const Step& step) { found = found || step.has_effect(); });
  return found;
}

bool has_step(const Plan& plan, StepKind kind) {
  bool found = false;
  for_each<Step>(plan.top, [&](const Step& step) { found = found || step.kind == kind; });
  return found;
}

bool reads_on_io_threads(const Plan& plan) {
  bool any = false;
  for_each<Step>(plan.top, [&](const Step& step) {
    any = any || (step.kind == StepKind::io && step.threads == 0);
  });
  return any;
}

std::vector<SlotId> inputs_of(const Node& node) {
  std::vector<SlotId> inputs;
  visit(
      node,
      [&](const Stage& stage) {
        for (const Step& step : stage.steps) append(inputs, step.reads);
      },
      [&](const Choice& choice) { inputs = choice.reads; },
      [&](const Loop& loop) { inputs = loop.init; });
  return inputs;
}

std::vector<SlotId> writes_of(const Plan& plan, const Node& node) {
  std::vector<SlotId> writes = outputs_of(node);
  const std::vector<ScopeId> own = scopes_in(plan, node);
  for (const Block* block : blocks_in(node)) {
    for_each<Step>(*block, [&](const Step& step) {
      for (const SlotId slot : step.writes) {
        if (inside(plan, plan.scopes[own.front()].parent, plan.slots[slot].scope))
          writes.push_back(slot);
      }
    });
  }
  return writes;
}

std::vector<int> count_uses(const Plan& plan) {
  std::vector<int> uses(plan.slots.size());
  const auto add = [&uses](const std::vector<SlotId>& slots) {
    for (const SlotId slot : slots) ++uses[slot];
  };
  add(plan.outputs);
  for_each_block(plan.top, [&](const Block& block) {
    add(block.results);
    for (const Node& node : block.nodes) {
      for (const Step& step : steps_in(node)) add(step.reads);
      if (!std::holds_alternative<Stage>(node)) add(inputs_of(node));
    }
  });
  return uses;
}

Slots uses_of(const Node& node) {
  Slots uses;
  insert(uses, inputs_of(node));
  for (const Block* block : blocks_in(node)) {
    for_each_block(*block, [&](const Block& b) {
      insert(uses, b.results);
      for (const Node& inner : b.nodes) insert(uses, inputs_of(inner));
    });
  }
  return uses;
}

void move_scope(Plan& plan, const Node& node, ScopeId to) {
  for (const SlotId slot : outputs_of(node)) plan.slots[slot].scope = to;
  for (const ScopeId scope : scopes_in(plan, node)) plan.scopes[scope].parent = to;
}

AliasAnalysis::AliasAnalysis(const Plan& plan) : plan_(plan), origins_(plan.slots.size()) {
  for_each<Choice>(plan.top, [&](const Choice& choice) {
    for (std::size_t i = 0; i < choice.results.size(); ++i)
      origins_[choice.results[i]] = {&choice, nullptr, i};
  });
  for_each<Loop>(plan.top, [&](const Loop& loop) {
    for (std::size_t i = 0; i < loop.state.size(); ++i)
      origins_[loop.state[i]] = origins_[loop.results[i]] = {nullptr, &loop, i};
  });
}

const std::vector<SlotId>& AliasAnalysis::of(SlotId slot) {
  const auto at = known_.find(slot);
  return at != known_.end() ? at->second : known_.emplace(slot, search(slot)).first->second;
}

std::vector<SlotId> AliasAnalysis::search(SlotId slot) const {
  if (!plan_.slots[slot].merged) return {slot};
  std::vector<SlotId> found, open{slot};
  // Carried values may swap places, so their slots can refer to each other in a cycle.
  std::vector<bool> seen(plan_.slots.size());
  const auto visit = [&](SlotId next) {
    if (!seen[next]) open.push_back(next);
    seen[next] = true;
  };
  while (!open.empty()) {
    const SlotId next = open.back();
    open.pop_back();
    if (!plan_.slots[next].merged) {
      found.push_back(next);
      continue;
    }
    if (const auto& source = plan_.slots[next].same_as) {
      visit(*source);
      continue;
    }
    const auto& [choice, loop, i] = origins_[next];
    if (choice != nullptr) {
      for (const Block& branch : choice->branches) visit(branch.results[i]);
    } else if (loop != nullptr) {
      visit(loop->init[i]);
      visit(loop->body.results[i]);
      for (const SlotId storage : loop->storage) {
        if (plan_.slots[storage].type == plan_.slots[next].type) visit(storage);
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace sluice::detail
