// to_json() converts a plan to JSON: pipeline.save() writes it, and SavedPlan
// (builder/saved_plan.h) reads it.
//
// The JSON holds the plan as it was described, before any pass: the types of slots, the steps in
// their order as operators with versions and arguments, branches and loops with their blocks, and
// the outputs of the source. Slots are numbered in the order in which steps make them, so that the
// same program produces the same text. Derived data is left out: the nesting implies the scopes,
// and the reader makes new storage for loops.
//
// Threads: pure functions. Errors: BuildError, with advice, for anything that a file cannot hold:
// user functions, and operators and value types that are not registered.
#pragma once

#include <sluice/graph/plan/plan_text.h>

#include <string>

namespace sluice::detail {

class OperatorRegistry;

inline constexpr const char* kPlanFormat = "sluice plan";
inline constexpr int kPlanVersion = 1;
// The greatest nesting depth of arrays and objects.
inline constexpr int kPlanDepth = 256;

std::string to_json(const Plan& plan, const OperatorRegistry& registry);

}  // namespace sluice::detail
