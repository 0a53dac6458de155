#include <sluice/graph/builder/recorder.h>
#include <sluice/graph/pipeline.h>
#include <sluice/graph/plan/plan.h>

#include <utility>

namespace sluice::detail {

std::shared_ptr<Engine> make_engine(Recorder& recorder, const PipelineOptions& options,
                                    std::vector<SlotId> outputs,
                                    std::vector<std::unique_ptr<ColumnMaker>> makers) {
  recorder.set_outputs(std::move(outputs));
  return std::make_shared<Engine>(recorder.take(), options, std::move(makers));
}

}  // namespace sluice::detail
