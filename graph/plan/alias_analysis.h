// AliasAnalysis: where the value of a slot may lie when it is read: in the slot's own storage, or,
// for the result of a branch or what a loop carries, in that of anything that came to it.
//
// Ownership: refers to a plan that outlives it; a pass that changes slots, branches or loops needs
// a new one. Threads: one at a time, since answers are kept. Nothing is thrown.
#pragma once

#include <sluice/graph/plan/plan.h>

#include <map>
#include <vector>

namespace sluice::detail {

class AliasAnalysis {
 public:
  explicit AliasAnalysis(const Plan& plan);
  // In ascending order, each once.
  const std::vector<SlotId>& of(SlotId slot);

 private:
  // A node that gives a slot which is only a pointer: one of its results, or of a loop's state.
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
