// Builds a program as a graph and as a plain function, and reports differences.
#pragma once

#include "tests/graph/random_program/build.h"

#include <string>

namespace sluice::random_program {

// Returns the difference between the graph and the plain function; empty if there is none. They
// must produce the same outputs of every sample, drop and fail the same samples, name the same step
// and path for each failure, and run each step equally often.
std::string difference(const Program& program, const Setting& setting);

// Compares a run with faults (Setting::fault) with the plain function. Returns what breaks these
// rules; empty if nothing does:
// - A sample ends as in the plain function, or once with the fault's error.
// - No more samples fail by the plan than faults were met.
// - A cancelled or left run delivers a prefix. In other runs, samples are absent only if next() or
//   epoch() threw std::bad_alloc.
// - A second epoch without faults is that of the plain function.
// Adds the number of faults that were met to `met`.
std::string fault_difference(const Program& program, const Setting& setting, std::uint64_t& met);

// Tests of many programs have this many suites, which run side by side.
inline constexpr std::uint64_t kShards = 4;
// Returns the number in an environment variable, or `otherwise` if it is not set.
std::uint64_t from_environment(const char* name, std::uint64_t otherwise);

// Returns threads, window, batch size and form of values for the program of that seed.
Setting setting_for(std::uint64_t seed);

}  // namespace sluice::random_program
