// Makes random programs: a pure function of the seed.
#pragma once

#include "tests/graph/random_program/program.h"

namespace sluice::random_program {

inline constexpr int kMaxDepth = 6;

Program generate(std::uint64_t seed);

}  // namespace sluice::random_program
