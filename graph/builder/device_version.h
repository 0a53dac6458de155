// Device versions of operators. A device version has the schema of its operator, and a function
// that also takes a Gather& (the GPU batch). If an operator has one and its inputs are on a device,
// the step runs the device version.
//
//   add_device_version(flip_operator(), [](Gather& gather, const Image& in, bool horizontal,
//                                          bool vertical, Image& out) {
//     out.create(in.height(), in.width(), in.channels());         // the device's memory
//     gather.launch_of_step<PixelsLaunch>().add(...);
//   });
//
// Work that the host must do for each sample first, such as reading a header, is a separate
// function. It runs in the sample's own task, before the GPU batch. Its result is passed to the
// device function after the inputs.
//
//   add_device_version(decode_operator(),
//                      [](DeviceMemory&, const File& file, Prepared& out) { ... },
//                      [](Gather&, const File& file, const Prepared& prepared, Image& out) { ...
//                      });
//
// Ownership: kept until the process ends. Threads: any. Errors: BuildError if the operator already
// has a device version, or if a function does not fit.
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
