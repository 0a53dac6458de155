// The versions of operators that run on a device. They have the schema of the operator that they
// stand for, and a function that is given a Gather& (see there) besides; where an operator has one,
// and its inputs lie on a device, the step runs it.
//
//   add_device_version(flip_operator(), [](Gather& gather, const Image& in, bool horizontal,
//                                          bool vertical, Image& out) {
//     out.create(in.height(), in.width(), in.channels());         // the device's memory
//     gather.launch_of_step<PixelsLaunch>().add(...);
//   });
//
// Ownership: kept for as long as the process. Threads: any. Errors: BuildError for an operator that
// has one already, or a function that does not fit.
#pragma once

#include <sluice/graph/builder/operator_function.h>
#include <sluice/graph/plan/device_versions.h>

#include <utility>

namespace sluice::detail {

template <class F>
void add_device_version(const OperatorPtr& op, F f) {
  keep_device_version(make_operator(op->schema(), {}, std::move(f)));
}

}  // namespace sluice::detail
