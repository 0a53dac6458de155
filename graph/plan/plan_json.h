// A plan as JSON: what pipeline.save() writes, and SavedPlan (builder/saved_plan.h) reads.
//
// Written is the plan as it was described, before any pass: the types of slots, the steps in their
// order as operators with versions and arguments, branches and loops with the blocks within them,
// and what the source gives. Slots are numbered in the order in which steps make them, so that the
// same program gives the same text. What follows from the rest is left out: scopes are the nesting,
// and storage of loops is made anew.
//
// Threads: pure functions. Errors: BuildError, with what to do, for what a file cannot hold:
// functions of the program's own, operators and types of values that nobody has registered.
#pragma once

#include <sluice/graph/plan/plan_text.h>

#include <string>

namespace sluice::detail {

class OperatorRegistry;

inline constexpr const char* kPlanFormat = "sluice plan";
inline constexpr int kPlanVersion = 1;
// Arrays and objects one inside the other.
inline constexpr int kPlanDepth = 256;

std::string to_json(const Plan& plan, const OperatorRegistry& registry);

}  // namespace sluice::detail
