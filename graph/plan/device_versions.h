// Which operators run on devices: those that have a version that does. See
// builder/device_version.h, which makes them.
//
// Ownership: kept for as long as the process. Threads: any. Errors: BuildError for an operator that
// has one already.
#pragma once

#include <sluice/graph/plan/operator.h>

namespace sluice::detail {

void keep_device_version(OperatorPtr version);
// Null: there is none.
OperatorPtr device_version_of(const Operator& op);

}  // namespace sluice::detail
