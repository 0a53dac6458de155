// The registry of device versions: an operator can run on a device if it has one.
// builder/device_version.h makes them.
//
// Ownership: kept until the process ends. Threads: any. Errors: BuildError for an operator that
// already has one.
#pragma once

#include <sluice/graph/plan/operator.h>

namespace sluice::detail {

void keep_device_version(OperatorPtr version);
// Returns null if the operator has no device version.
OperatorPtr device_version_of(const Operator& op);

}  // namespace sluice::detail
