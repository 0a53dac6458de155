// unused_device: finds a pipeline that has a device but no step on it. Its steps run on the CPU,
// and the user may not notice.
//
// Threads: pure. Errors: std::bad_alloc.
#pragma once

#include <sluice/graph/options.h>
#include <sluice/graph/plan/plan.h>

#include <string>

namespace sluice::detail {

// Returns what is wrong and what to do; empty if the pipeline has no device, or uses it. `plan` is
// the described one, because passes remove steps that no output needs.
std::string unused_device(const PipelineOptions& options, const Plan& plan);

}  // namespace sluice::detail
