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
// What the host has to do for each sample before, such as to read a header, is a function of its
// own: it runs in the sample's own task, not with the gather, and what it writes is given to the
// other after the inputs.
//
//   add_device_version(decode_operator(),
//                      [](DeviceMemory&, const File& file, Prepared& out) { ... },
//                      [](Gather&, const File& file, const Prepared& prepared, Image& out) { ...
//                      });
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

template <class Prepare, class F>
void add_device_version(const OperatorPtr& op, Prepare prepare, F f) {
  const SlotType* const prepared = outputs_of(TypesOfFunction<Prepare>::all()).at(0);
  OperatorSchema before = op->schema(), then = op->schema();
  before.outputs = {{"prepared", prepared}};
  then.inputs.push_back({"prepared", {prepared}});
  OperatorFunctions functions;
  functions.preparation = make_operator(std::move(before), {}, std::move(prepare));
  keep_device_version(make_operator(std::move(then), std::move(functions), std::move(f)));
}

}  // namespace sluice::detail
