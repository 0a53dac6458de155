// The schedule of a program, by the rule that the graph promises, implemented anew for random
// programs.
//
//   - A node that no output needs does not run, unless it has an effect.
//   - A step whose every use is inside one branch runs only there: at the front of the innermost
//     branch that holds all its uses. Whole conditionals and loops likewise.
//   - Nothing moves into a loop, and nothing with an effect moves at all.
#pragma once

#include "tests/graph/random_program/program.h"

#include <map>
#include <vector>

namespace sluice::random_program {

// The nodes that run in each block, in order. Refers to the program, which must stay where it is.
using Schedule = std::map<const Block*, std::vector<const Node*>>;

Schedule follow_rule(const Program& program);

}  // namespace sluice::random_program
