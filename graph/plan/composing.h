// Which operators become one where they stand in a row, and how: Composing. The pass `compose` asks
// it of each step; ops/composing.h makes it, beside the operators' declarations.
//
// Ownership: kept, with the operator, for as long as the process. Threads: any. Errors: BuildError
// for an operator that has one already.
#pragma once

#include <sluice/graph/plan/operator.h>

#include <functional>
#include <optional>
#include <vector>

namespace sluice::detail {

// Each step of a row checks its own arguments and adds what it does to what those before it have
// said, a map of colours or of places say; no picture is made. One more step then makes the
// picture, by the map that has come of it. The versions have the operator's name and its arguments,
// but for the picture.
struct Composing {
  OperatorPtr begins;   // takes the picture
  OperatorPtr goes_on;  // takes what the one before has said
  OperatorPtr applies;  // takes what the last one has said; gives the picture
  bool light = false;   // by itself it is done as cheaply, so a row needs another one
  // What must be the same for all of a row, given the operator's arguments; empty agrees with all.
  // None: as it differs from sample to sample, the operator is a step by itself.
  std::function<std::optional<std::vector<Constant>>(const Arguments&)> manner = {};
};

void keep_composing(OperatorPtr op, Composing composing);
// Null: it is always a step by itself.
const Composing* composing_of(const Operator& op);

}  // namespace sluice::detail
