// describe_stall: which samples are in which loops and steps, since when. Part of the engine.
// Threads: may be called while the frames run.
#pragma once

#include <sluice/graph/plan/plan.h>

#include <memory>
#include <string>
#include <vector>

namespace sluice::detail {

std::string describe_stall(const Plan& plan, const std::vector<std::unique_ptr<Frame>>& frames,
                           double timeout);

}  // namespace sluice::detail
