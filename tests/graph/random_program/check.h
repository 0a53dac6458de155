// Builds a program as a graph and as a plain function, and reports differences.
#pragma once

#include "tests/graph/random_program/build.h"

#include <string>

namespace sluice::random_program {

// Returns the difference between the graph and the plain function; empty if there is none. They
// must produce the same outputs of every sample, drop and fail the same samples, name the same step
// and path for each failure, and run each step equally often.
std::string difference(const Program& program, const Setting& setting);

// Returns threads, window, batch size and form of values for the program of that seed.
Setting setting_for(std::uint64_t seed);

}  // namespace sluice::random_program
