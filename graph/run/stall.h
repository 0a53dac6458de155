// describe_stall: lists the loops and steps that the epoch's samples are in, and since when.
// describe_end: says how many samples in which steps an end waits for, and what to do. Part of the
// engine. Threads: may be called while the samples run, outside all locks, because it asks for
// names.
#pragma once

#include <sluice/graph/plan/plan.h>

#include <memory>
#include <string>
#include <vector>

namespace sluice::detail {

std::string describe_stall(const Plan& plan, const std::vector<std::unique_ptr<Sample>>& samples,
                           std::int64_t epoch, double timeout);
// Returns one line. `whose`: "pipeline", for example.
std::string describe_end(const std::vector<std::unique_ptr<Sample>>& samples,
                         const std::string& whose);

}  // namespace sluice::detail
