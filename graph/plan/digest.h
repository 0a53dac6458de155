// digest_of() identifies a program: it returns one line for each step, branch and loop, in order,
// with its name and a hash of everything known about it. User functions are identified by their
// names and by the slots that they read and write.
//
//   resize 5f01c2aa
//
// The same description produces the same lines in each run and on each machine. Threads: pure
// functions. Errors: std::bad_alloc, and what a dataset's fingerprint function throws.
#pragma once

#include <sluice/graph/plan/plan.h>

#include <string>
#include <vector>

namespace sluice::detail {

// `plan` is the plan as recorded, before any pass.
std::vector<std::string> digest_of(const Plan& plan);
// Returns a line for each source: its name, its number of samples, and its fingerprint if it has
// one.
std::vector<std::string> datasets_of(const Plan& plan);

}  // namespace sluice::detail
