// Reads constants of a plan from JSON. Internal to saved_plan.cpp. Errors: BuildError that names
// the place.
#pragma once

#include <sluice/graph/builder/json_place.h>
#include <sluice/graph/plan/operator.h>

namespace sluice::detail {

// Reads a constant with its type: {"i32": 5}.
Constant typed_constant(const JsonPlace& place);
// Reads a constant for the parameter: a plain number or text, or a typed one if the parameter takes
// several types.
Constant constant_of(const JsonPlace& place, const Parameter& parameter);

}  // namespace sluice::detail
