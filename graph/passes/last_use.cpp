#include <sluice/graph/passes/last_use.h>
#include <sluice/graph/plan/alias_analysis.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <string>

namespace sluice::detail {

std::vector<char> last_uses(const Plan& plan,
                            const std::vector<std::unique_ptr<ColumnMaker>>& makers,
                            LastBatch last_batch) {
  AliasAnalysis storages(plan);
  std::vector<char> last_use(plan.outputs.size(), 1);
  for (std::size_t k = 0; k < plan.outputs.size(); ++k) {
    const std::vector<SlotId>& mine = storages.of(plan.outputs[k]);
    for (std::size_t later = k + 1; later < plan.outputs.size() && last_use[k]; ++later) {
      const std::vector<SlotId>& theirs = storages.of(plan.outputs[later]);
      for (const SlotId slot : mine) {
        if (std::find(theirs.begin(), theirs.end(), slot) != theirs.end()) last_use[k] = 0;
      }
    }
    if (!last_use[k] && !makers[k]->copyable()) {
      throw BuildError("output " + std::to_string(k) + " is also another output, but its type " +
                       std::string(short_name(plan.slots[plan.outputs[k]].type->name)) +
                       " cannot be copied");
    }
    if (last_batch == LastBatch::fill && !makers[k]->copyable()) {
      throw BuildError(
          "last_batch = fill repeats a sample, but output " + std::to_string(k) + " of type " +
          std::string(short_name(plan.slots[plan.outputs[k]].type->name)) + " cannot be copied");
    }
  }
  return last_use;
}

}  // namespace sluice::detail
