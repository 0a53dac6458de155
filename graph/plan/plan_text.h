// A plan in words, as a drawing and as a file: what users ask of a plan without looking inside.
//
// Threads: any number at once. Errors: see each of them.
#pragma once

#include <string>

namespace sluice {
namespace detail {

struct Plan;

// The plan as indented text, one line a step: what it reads and writes, and in brackets what else
// there is to say: an effect, an output that is written in place, the last use of a value, a branch
// that is eager.
std::string to_string(const Plan& plan);

// The plan as a Graphviz drawing: arms, and the condition and the body of loops, as clusters.
std::string to_dot(const Plan& plan);

// A plan as it was recorded, in words, and after each pass; "no change" where a pass found nothing
// to do. Throws BuildError as `prepare` does.
std::string explain(const Plan& recorded, bool composes = false);

// Writes the plan to a file, as to_json() with all operators of the process. The file appears only
// when it is complete. Throws BuildError as to_json() does, and IoError. Defined in
// ops/operators.cpp, because ops/ knows both operators and files.
void save_plan(const Plan& plan, const std::string& file);

}  // namespace detail

using detail::to_dot;
using detail::to_string;

}  // namespace sluice
