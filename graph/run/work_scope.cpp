#include <sluice/graph/plan/sample.h>
#include <sluice/graph/run/guarded.h>
#include <sluice/graph/run/work_scope.h>

namespace sluice::detail {

StepScope::StepScope(const CompletionHandle& handle) : StepScope(*handle.sample_.load()) {}

StepScope::StepScope(const Sample& sample) : work_(sample.plan()), pool_(*sample.wait.pool) {}

}  // namespace sluice::detail
