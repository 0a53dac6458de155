// Prints a random program as C++: the calls that build it.
#pragma once

#include "tests/graph/random_program/program.h"

#include <string>

namespace sluice::random_program {

std::string to_code(const Program& program);

}  // namespace sluice::random_program
