// What the parts of a plan use and give: the questions that passes ask about nodes and slots.
//
// Threads: pure functions, but for move_scope, which changes the plan that it is given. Nothing is
// thrown.
#pragma once

#include <sluice/graph/plan/plan.h>

#include <set>
#include <vector>

namespace sluice::detail {

using Slots = std::set<SlotId>;

template <class Some>
void insert(Slots& slots, const Some& more) {
  slots.insert(more.begin(), more.end());
}
bool any_of(const Slots& slots, const std::vector<SlotId>& some);

// The node goes into a block of the scope `to`.
void move_scope(Plan& plan, const Node& node, ScopeId to);

// Whether a step of the node, or of the blocks within it, runs for its effect.
bool has_effect(const Node& node);
// Whether a step of the plan is of this kind.
bool has_step(const Plan& plan, StepKind kind);
// Whether a step reads for which there are no threads of its own.
bool reads_on_io_threads(const Plan& plan);
// Whether the slot's value is made in each iteration anew.
bool made_inside(const Plan& plan, SlotId slot, const Loop& loop);
// What the node itself uses where it stands: what its steps read, its choice, its first iteration.
std::vector<SlotId> inputs_of(const Node& node);
// What the node gives to those after it. Steps inside may also add to a value from outside: a list
// that a loop fills.
std::vector<SlotId> writes_of(const Plan& plan, const Node& node);
// How often each slot is used, by steps, choices, loops, the blocks' ends and the outputs.
std::vector<int> count_uses(const Plan& plan);
// What the node uses of what was made before it, or within.
Slots uses_of(const Node& node);

}  // namespace sluice::detail
