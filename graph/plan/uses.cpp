#include <sluice/graph/plan/uses.h>

#include <algorithm>

namespace sluice::detail {
namespace {

// Calls visit(const Step&) for each step of the node, those in blocks within included.
template <class Visit>
void for_each_step(const Node& node, Visit&& visit) {
  const auto in_block = [&](const Block& block) {
    for_each_block(block, [&](const Block& b) {
      for (const Node& inner : b.nodes) {
        if (const auto* stage = std::get_if<Stage>(&inner))
          std::for_each(stage->steps.begin(), stage->steps.end(), visit);
      }
    });
  };
  if (const auto* stage = std::get_if<Stage>(&node)) {
    std::for_each(stage->steps.begin(), stage->steps.end(), visit);
  } else if (const auto* branch = std::get_if<Branch>(&node)) {
    for (const Block& arm : branch->arms) in_block(arm);
  } else {
    in_block(std::get<Loop>(node).condition);
    in_block(std::get<Loop>(node).body);
  }
}

// The scope that holds the blocks of a branch or loop; the node stands in the parent of a loop's,
// and in the parent of the first arm's.
ScopeId scope_within(const Plan& plan, const Node& node) {
  if (const auto* branch = std::get_if<Branch>(&node)) return branch->arms.front().scope;
  return plan.scopes[std::get<Loop>(node).body.scope].parent;
}

}  // namespace

bool any_of(const Slots& slots, const std::vector<SlotId>& some) {
  return std::any_of(some.begin(), some.end(), [&](SlotId s) { return slots.count(s) > 0; });
}

bool has_effect(const Node& node) {
  bool found = false;
  for_each_step(node, [&](const Step& step) { found = found || step.has_effect(); });
  return found;
}

bool has_step(const Plan& plan, StepKind kind) {
  bool found = false;
  for (const Node& node : plan.top.nodes) {
    for_each_step(node, [&](const Step& step) { found = found || step.kind == kind; });
  }
  return found;
}

std::vector<SlotId> writes_of(const Plan& plan, const Node& node) {
  if (const auto* stage = std::get_if<Stage>(&node)) {
    std::vector<SlotId> writes;
    for (const Step& step : stage->steps)
      writes.insert(writes.end(), step.writes.begin(), step.writes.end());
    return writes;
  }
  const auto* branch = std::get_if<Branch>(&node);
  std::vector<SlotId> writes = branch != nullptr ? branch->results : std::get<Loop>(node).results;
  const ScopeId outer = plan.scopes[scope_within(plan, node)].parent;
  for_each_step(node, [&](const Step& step) {
    for (const SlotId slot : step.writes) {
      if (inside(plan, outer, plan.slots[slot].scope)) writes.push_back(slot);
    }
  });
  return writes;
}

Slots uses_of(const Node& node) {
  Slots uses;
  for_each_step(node, [&](const Step& step) { insert(uses, step.reads); });
  const auto in_block = [&](const Block& block) {
    for_each_block(block, [&](const Block& b) {
      insert(uses, b.results);
      for (const Node& inner : b.nodes) {
        if (const auto* branch = std::get_if<Branch>(&inner)) insert(uses, branch->reads);
        if (const auto* loop = std::get_if<Loop>(&inner)) insert(uses, loop->init);
      }
    });
  };
  if (const auto* branch = std::get_if<Branch>(&node)) {
    insert(uses, branch->reads);
    for (const Block& arm : branch->arms) in_block(arm);
  } else if (const auto* loop = std::get_if<Loop>(&node)) {
    insert(uses, loop->init);
    in_block(loop->condition);
    in_block(loop->body);
  }
  return uses;
}

void move_scope(Plan& plan, const Node& node, ScopeId to) {
  if (const auto* stage = std::get_if<Stage>(&node)) {
    for (const SlotId slot : stage->steps.front().writes) plan.slots[slot].scope = to;
    return;
  }
  if (const auto* branch = std::get_if<Branch>(&node)) {
    for (const SlotId slot : branch->results) plan.slots[slot].scope = to;
    for (const Block& arm : branch->arms) plan.scopes[arm.scope].parent = to;
    return;
  }
  for (const SlotId slot : std::get<Loop>(node).results) plan.slots[slot].scope = to;
  plan.scopes[scope_within(plan, node)].parent = to;
}

}  // namespace sluice::detail
