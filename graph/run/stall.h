// describe_stall: which samples of this epoch are in which loops and steps, since when.
// describe_end: for how many samples in which steps an end waits, and what to do. Part of the
// engine. Threads: may be called while the samples run, outside all locks: it asks for names.
#pragma once

#include <sluice/graph/plan/plan.h>

#include <memory>
#include <string>
#include <vector>

namespace sluice::detail {

std::string describe_stall(const Plan& plan, const std::vector<std::unique_ptr<Sample>>& samples,
                           std::int64_t epoch, double timeout);
// One line; `whose`: "pipeline".
std::string describe_end(const std::vector<std::unique_ptr<Sample>>& samples,
                         const std::string& whose);

}  // namespace sluice::detail
