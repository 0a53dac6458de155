// describe_stall: which samples of this epoch are in which loops and steps, since when. Part of the
// engine. Threads: may be called while the samples run, outside all locks: it asks for names.
#pragma once

#include <sluice/graph/plan/plan.h>

#include <memory>
#include <string>
#include <vector>

namespace sluice::detail {

std::string describe_stall(const Plan& plan, const std::vector<std::unique_ptr<Sample>>& samples,
                           std::int64_t epoch, double timeout);

}  // namespace sluice::detail
