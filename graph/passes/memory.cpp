// Passes for memory: carry and place_outputs.
#include <sluice/graph/passes/passes.h>
#include <sluice/graph/plan/alias_analysis.h>
#include <sluice/graph/plan/uses.h>
#include <sluice/graph/plan/visit.h>

#include <algorithm>

namespace sluice::detail {
namespace {

// Finds the values that always end as one output. A slot that is read must not be in the batch
// under another name. So a value can be placed only if every path from its step leads to that one
// output: each link must be in the block that made the value.
class Places {
 public:
  explicit Places(Plan& plan) : plan_(plan), makers_(plan.slots.size()) {
    for_each<Branch>(plan.top, [&](const Branch& branch) {
      for (std::size_t i = 0; i < branch.results.size(); ++i)
        makers_[branch.results[i]] = {&branch, i, plan.scopes[branch.arms.front().scope].parent};
    });
    // A device's values are delivered without a copy, so a value in two outputs belongs to neither
    // batch column alone.
    AliasAnalysis storages(plan);
    Slots seen;
    for (const SlotId output : plan.outputs) {
      for (const SlotId storage : storages.of(output)) {
        if (!seen.insert(storage).second && plan.slots[storage].on_device) in_two_.insert(storage);
      }
    }
  }

  // Places the value that the block with this scope returns.
  void place(SlotId slot, ScopeId scope, int output) {
    Slot& value = plan_.slots[slot];
    if (!value.merged) {
      const bool fits = value.scope == scope && in_two_.count(slot) == 0;
      if (fits && value.output < 0) value.output = output;
      return;
    }
    const Maker& maker = makers_[slot];
    if (maker.branch == nullptr || maker.scope != scope) return;
    if (maker.branch->there != nullptr) return;  // values of both arms exist at once
    for (const Block& arm : maker.branch->arms) place(arm.results[maker.result], arm.scope, output);
  }

 private:
  struct Maker {
    const Branch* branch = nullptr;
    std::size_t result = 0;
    ScopeId scope = 0;  // the scope that contains the branch
  };
  Plan& plan_;
  std::vector<Maker> makers_;  // by slot
  Slots in_two_;
};

}  // namespace

Plan carry(Plan plan) {
  AliasAnalysis storages(plan);
  const auto is_storage = [](const Loop& loop, SlotId slot) {
    return std::find(loop.storage.begin(), loop.storage.end(), slot) != loop.storage.end();
  };
  for_each<Loop>(plan.top, [&](Loop& loop) {
    Slots locals;
    for (const SlotId result : loop.body.results) {
      for (const SlotId storage : storages.of(result)) {
        // Values of the condition and the iteration number also change before the next iteration
        // reads this one's results.
        if (!is_storage(loop, storage) && made_inside(plan, storage, loop)) locals.insert(storage);
      }
    }
    loop.locals.assign(locals.begin(), locals.end());
  });
  return plan;
}

Plan place_outputs(Plan plan) {
  Places places(plan);
  for (std::size_t k = 0; k < plan.outputs.size(); ++k)
    places.place(plan.outputs[k], plan.top.scope, static_cast<int>(k));
  return plan;
}

}  // namespace sluice::detail
