// Functions that turn a plan into text, a drawing or a file, for users who do not look inside it.
//
// Threads: any number at once. Errors: see each function.
#pragma once

#include <string>

namespace sluice {
namespace detail {

struct Plan;

// Returns the plan as indented text: the number of samples, unless it is 0, and one line for each
// step, with the slots that it reads and writes. Remarks follow in brackets: an effect, an output
// that is written in place, the last use of a value, an eager branch.
std::string to_string(const Plan& plan);

// Returns the plan as a Graphviz drawing. Branches, and the conditions and bodies of loops, are
// clusters.
std::string to_dot(const Plan& plan);

// Returns the text of a plan as recorded and after each pass; "no change" if a pass found nothing
// to do. Throws BuildError as `prepare` does.
std::string explain(const Plan& recorded, bool composes = false);

// Writes the result of to_json(), with all operators of the process, to a file. The file appears
// only when it is complete. Throws BuildError as to_json() does, and IoError. Defined in
// ops/operators.cpp, because ops/ knows both operators and files.
void save_plan(const Plan& plan, const std::string& file);

}  // namespace detail

using detail::to_dot;
using detail::to_string;

}  // namespace sluice
