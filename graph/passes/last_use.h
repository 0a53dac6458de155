// last_uses: finds the outputs that may move a value, while others must copy it because a later
// output needs it too. Part of the engine. Errors: BuildError if a value must be copied but cannot
// be.
#pragma once

#include <sluice/graph/options.h>
#include <sluice/graph/plan/column.h>
#include <sluice/graph/plan/plan.h>

#include <memory>
#include <vector>

namespace sluice::detail {

// For each output: 1 if it is the last one that may refer to its value.
std::vector<char> last_uses(const Plan& plan,
                            const std::vector<std::unique_ptr<ColumnMaker>>& makers,
                            LastBatch last_batch);

}  // namespace sluice::detail
