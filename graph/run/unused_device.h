// A device that a pipeline is given and does not use: its steps run on the CPU, which the user may
// not know.
//
// Threads: pure. Errors: std::bad_alloc.
#pragma once

#include <sluice/graph/options.h>
#include <sluice/graph/plan/plan.h>

#include <string>

namespace sluice::detail {

// What is wrong and what to do; empty where the pipeline has no device, or uses it. `plan`: as it
// was described, since what runs on the device may be what nobody needs.
std::string unused_device(const PipelineOptions& options, const Plan& plan);

}  // namespace sluice::detail
