// AliasAnalysis: finds the storage that may hold a slot's value when the slot is read. That is the
// slot's own storage. For a branch result or a value that a loop carries, it is the storage of
// every value that can reach it.
//
// Ownership: refers to a plan that outlives it; a pass that changes slots, branches or loops needs
// a new analysis. Threads: one at a time, since it caches answers. Nothing is thrown.
#pragma once

#include <sluice/graph/plan/plan.h>

#include <map>
#include <vector>

namespace sluice::detail {

class AliasAnalysis {
 public:
  explicit AliasAnalysis(const Plan& plan);
  // Returns the slots whose storage may hold the value, in ascending order, each once.
  const std::vector<SlotId>& of(SlotId slot);

 private:
  // The node that sets a merged slot (a pointer without storage): `index` counts the branch's
  // results, or the loop's state and results.
  struct Origin {
    const Branch* branch = nullptr;
    const Loop* loop = nullptr;
    std::size_t index = 0;
  };
  std::vector<SlotId> search(SlotId slot) const;

  const Plan& plan_;
  std::vector<Origin> origins_;  // one for each slot
  std::map<SlotId, std::vector<SlotId>> known_;
};

}  // namespace sluice::detail
