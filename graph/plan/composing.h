// Composing: how an operator combines with its neighbors in a chain of steps. The pass `compose`
// looks it up for each step; ops/composing.h makes it, next to the operators' declarations.
//
// Ownership: kept, with the operator, until the process ends. Threads: any. Errors: BuildError for
// an operator that already has one.
#pragma once

#include <sluice/graph/plan/operator.h>

#include <functional>
#include <optional>
#include <vector>

namespace sluice::detail {

// Each step of a chain checks its own arguments and adds its work to a description that the steps
// before it have built, such as a map of colors or of coordinates. These steps make no image. One
// more step then makes the image from the finished map. The versions have the operator's name and
// its arguments, except for the image.
struct Composing {
  OperatorPtr begins;   // takes the image; returns the first description
  OperatorPtr goes_on;  // takes and extends the description of the step before
  OperatorPtr applies;  // takes the last description; returns the image
  bool light = false;   // cheap on its own: a chain of only light operators is left alone
  // Returns the settings that must be equal for the whole chain, given the operator's arguments. An
  // empty vector agrees with all. Returns nullopt if the settings differ from sample to sample: the
  // operator then stays a separate step.
  std::function<std::optional<std::vector<Constant>>(const Arguments&)> manner = {};
};

void keep_composing(OperatorPtr op, Composing composing);
// Returns null if the operator is always a separate step.
const Composing* composing_of(const Operator& op);

}  // namespace sluice::detail
