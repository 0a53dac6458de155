#include <sluice/graph/plan/uses.h>
#include <sluice/graph/run/unused_device.h>
#include <sluice/runtime/device.h>

namespace sluice::detail {

std::string unused_device(const PipelineOptions& options, const Plan& plan) {
  if (options.device == nullptr || has_step(plan, StepKind::stream)) return {};
  return "device is '" + options.device->name() +
         "', but no step of the pipeline runs on a GPU: say .gpu() of what shall be there, or "
         "leave device out";
}

}  // namespace sluice::detail
