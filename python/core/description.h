// Description: records a pipeline for Python with the library's PlanBuilder. Python identifies
// values by the numbers of their slots.
//
// Ownership: owns the plan until build() takes it. Threads: one, with the GIL held. Errors:
// BuildError at the invalid call, and the errors of nanobind's conversions.
#pragma once

#include "object.h"
#include "order.h"
#include <sluice/graph/builder/plan_builder.h>
#include <sluice/graph/graph.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/slot.h>
#include <sluice/graph/value.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sluice::python {

using detail::SlotId;
using Slots = std::vector<SlotId>;

struct Description {
  detail::PlanBuilder builder;
  Graph graph{builder};
  // For choices and loops whose description is not finished.
  std::vector<std::unique_ptr<detail::PlanBuilder::Attempt>> attempts;
  bool built = false;
  // The user's functions that steps call; build() moves them to the pipeline.
  std::shared_ptr<PyRefs> py_refs = std::make_shared<PyRefs>();
  // The user's function for the order of samples, if there is one.
  std::shared_ptr<PythonOrder> order = {};

  // Throws BuildError if the pipeline has been built.
  detail::PlanBuilder& open();
  // Returns the value if it is a T; else throws BuildError that names `user`.
  template <class T>
  Value<T> value(SlotId slot, const char* user) {
    require_type(slot, detail::slot_type<T>(), user);
    return Value<T>(builder, slot);
  }
  void require_type(SlotId slot, const detail::SlotType* type, const char* user);
  template <class T>
  bool is(SlotId slot) const {
    return builder.plan().slots.at(slot).type == detail::slot_type<T>();
  }
};

void bind_description(nb::module_& module);  // class Description
void bind_operators(nb::module_& module);    // lists the operators
// Adds methods for functions that record several operators.
void bind_functions(nb::class_<Description>& description);
// Adds methods for sources (files and Python functions), and for Python functions as steps.
void bind_sources(nb::class_<Description>& description);
void bind_steps(nb::class_<Description>& description);
// Adds methods for asynchronous sources: URLs and archive streams.
void bind_late_sources(nb::module_& module, nb::class_<Description>& description);
// Adds a method for packs as a source, and the writer of packs.
void bind_packs(nb::module_& module, nb::class_<Description>& description);
// The same in worker processes, and the functions that workers call.
void bind_workers(nb::module_& module, nb::class_<Description>& description);
// Adds functions on several samples at once.
void bind_batches(nb::module_& module, nb::class_<Description>& description);
void bind_pipeline(nb::module_& module);  // class Pipeline
// Adds a method for the inputs of class Evaluator, and the class.
void bind_evaluation(nb::module_& module, nb::class_<Description>& description);
// Takes the plan. options.h describes `options`.
nb::object build_pipeline(Description& description, const Slots& outputs, const nb::dict& options);

}  // namespace sluice::python
