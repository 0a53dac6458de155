// A random program as C++ that a reader knows: the calls that build it.
#pragma once

#include "tests/graph/random_program/program.h"

#include <string>

namespace sluice::random_program {

std::string to_code(const Program& program);

}  // namespace sluice::random_program
