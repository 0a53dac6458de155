// Constants of a plan in a JSON file. Internal to saved_plan.cpp. Errors: BuildError, of the place.
#pragma once

#include <sluice/graph/builder/json_place.h>
#include <sluice/graph/plan/operator.h>

namespace sluice::detail {

// A constant beside the name of its type: {"i32": 5}.
Constant typed_constant(const JsonPlace& place);
// As the parameter takes it: a plain number or text, unless the parameter takes several types.
Constant constant_of(const JsonPlace& place, const Parameter& parameter);

}  // namespace sluice::detail
