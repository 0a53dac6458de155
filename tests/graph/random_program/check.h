// Builds a program as a graph and as a plain function, and says what differs.
#pragma once

#include "tests/graph/random_program/build.h"

#include <string>

namespace sluice::random_program {

// Empty when the graph does what the plain function does: the same outputs of every sample, the
// same samples dropped and failed, those in the same step on the same path, and each step run as
// often.
std::string difference(const Program& program, const Setting& setting);

// Threads, window, batch size and what travels, for the program of that seed.
Setting setting_for(std::uint64_t seed);

}  // namespace sluice::random_program
