// What tells a program from another one: a line for each step, branch and loop, in order, with its
// name and a hash over what is known of it. Functions of the user's own are known by their names,
// and by what they read and write.
//
//   resize 5f01c2aa
//
// The same description gives the same lines in each run and on each machine. Threads: pure
// functions. Errors: std::bad_alloc, and what a dataset throws that is asked for its fingerprint.
#pragma once

#include <sluice/graph/plan/plan.h>

#include <string>
#include <vector>

namespace sluice::detail {

// Of a plan as it was recorded.
std::vector<std::string> digest_of(const Plan& plan);
// A line for each source: its name, how many samples it has, and its fingerprint, where it has one.
std::vector<std::string> datasets_of(const Plan& plan);

}  // namespace sluice::detail
