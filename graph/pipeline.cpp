#include <sluice/graph/builder/plan_builder.h>
#include <sluice/graph/pipeline.h>
#include <sluice/graph/plan/plan.h>

#include <utility>

namespace sluice::detail {

std::shared_ptr<Engine> make_engine(PlanBuilder& builder, const PipelineOptions& options,
                                    std::vector<SlotId> outputs,
                                    std::vector<std::unique_ptr<ColumnMaker>> makers) {
  builder.set_outputs(std::move(outputs));
  return std::make_shared<Engine>(builder.take(), options, std::move(makers));
}

}  // namespace sluice::detail
