// The data flow of a plan, for passes: the slots that its parts read and write, and the storage
// that may hold a value.
//
// Threads: pure functions, except for move_scope, which changes its plan. Errors: none.
#pragma once

#include <sluice/graph/plan/plan.h>

#include <map>
#include <set>
#include <vector>

namespace sluice::detail {

using Slots = std::set<SlotId>;

template <class Some>
void insert(Slots& slots, const Some& more) {
  slots.insert(more.begin(), more.end());
}
bool any_of(const Slots& slots, const std::vector<SlotId>& some);

// Adjusts scopes for moving the node into a block of the scope `to`.
void move_scope(Plan& plan, const Node& node, ScopeId to);

// True if a step of the node, or of the blocks inside it, runs for its effect.
bool has_effect(const Node& node);
// True if a step of the plan is of this kind.
bool has_step(const Plan& plan, StepKind kind);
// True if an io step has no threads of its own, so that it needs the pipeline's io threads.
bool reads_on_io_threads(const Plan& plan);
// True if each iteration of the loop makes the slot's value anew.
bool made_inside(const Plan& plan, SlotId slot, const Loop& loop);
// Returns the slots that the node itself reads: the inputs of its steps, of its choice, or of its
// first iteration.
std::vector<SlotId> inputs_of(const Node& node);
// Returns the slots that the node writes for later nodes. They include outer values that steps
// inside add to, such as a list that a loop fills.
std::vector<SlotId> writes_of(const Plan& plan, const Node& node);
// Returns how often each slot is used, by steps, choices, loops, block results and outputs.
std::vector<int> count_uses(const Plan& plan);
// Returns all slots that the node uses, made before it or inside it.
Slots uses_of(const Node& node);

// AliasAnalysis: finds the storage that may hold a slot's value when the slot is read. That is the
// slot's own storage. For a branch result or a value that a loop carries, it is the storage of
// every value that can reach it.
//
// Ownership: refers to a plan that outlives it; a pass that changes slots, branches or loops needs
// a new analysis. Threads: one at a time, since it caches answers. Nothing is thrown.

class AliasAnalysis {
 public:
  explicit AliasAnalysis(const Plan& plan);
  // Returns the slots whose storage may hold the value, in ascending order, each once.
  const std::vector<SlotId>& of(SlotId slot);

 private:
  // The node that sets a merged slot (a pointer without storage): `index` counts the branch's
  // results, or the loop's state and results.
  struct Origin {
    const Choice* choice = nullptr;
    const Loop* loop = nullptr;
    std::size_t index = 0;
  };
  std::vector<SlotId> search(SlotId slot) const;

  const Plan& plan_;
  std::vector<Origin> origins_;  // one for each slot
  std::map<SlotId, std::vector<SlotId>> known_;
};

}  // namespace sluice::detail
