#include <sluice/graph/plan/alias_analysis.h>
#include <sluice/graph/plan/visit.h>

#include <algorithm>

namespace sluice::detail {

AliasAnalysis::AliasAnalysis(const Plan& plan) : plan_(plan), origins_(plan.slots.size()) {
  for_each<Branch>(plan.top, [&](const Branch& branch) {
    for (std::size_t i = 0; i < branch.results.size(); ++i)
      origins_[branch.results[i]] = {&branch, nullptr, i};
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
    const auto& [branch, loop, i] = origins_[next];
    if (branch != nullptr) {
      for (const Block& arm : branch->arms) visit(arm.results[i]);
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
