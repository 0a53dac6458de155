// Description: what Python records a pipeline with: the library's own Recorder, of values that are
// known by the numbers of their slots.
//
// Ownership: owns the plan until build() takes it. Threads: one, under Python's lock. Errors:
// BuildError, at the call that is wrong, and what Python's own conversions throw.
#pragma once

#include "object.h"
#include <sluice/graph/plan/plan.h>
#include <sluice/sluice.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sluice::python {

using detail::SlotId;
using Slots = std::vector<SlotId>;

struct Description {
  detail::Recorder recorder;
  Graph graph{recorder};
  // Of descriptions of branches and loops that are under way.
  struct Attempt {
    Attempt(detail::Recorder& of, std::size_t parts) : recorder(of), depth(parts) {}
    detail::Recorder::Attempt recorder;
    std::size_t depth;
  };
  std::vector<std::unique_ptr<Attempt>> attempts;
  // Of open branches and loops: the types that arms and iterations give, of a branch from its first
  // arm on, and what such a part is called.
  struct Open {
    std::string name;
    std::vector<std::string> arms;  // none: a loop
    std::size_t arm = 0;
    std::vector<const detail::SlotType*> types;
  };
  std::vector<Open> open_parts;
  bool built = false;
  // The user's functions that steps call; the pipeline has them once it is built.
  std::shared_ptr<Kept> kept = std::make_shared<Kept>();

  // Throws BuildError when the pipeline has been built.
  detail::Recorder& open();
  // The value, if it is a T; else BuildError, which says who wants one.
  template <class T>
  Value<T> value(SlotId slot, const char* user) {
    require_type(slot, detail::slot_type<T>(), user);
    return Value<T>(recorder, slot);
  }
  // The results of an arm or an iteration are of the types of those before it.
  void require_same_types(const Slots& results, const std::vector<std::string>& places);
  void require_type(SlotId slot, const detail::SlotType* type, const char* user);
  template <class T>
  bool is(SlotId slot) const {
    return recorder.plan().slots.at(slot).type == detail::slot_type<T>();
  }
};

void bind_description(nb::module_& module);  // class Description
void bind_operators(nb::module_& module);    // what operators there are
// Functions that record several operators, as methods.
void bind_functions(nb::class_<Description>& description);
// What gives samples: files, and Python's functions; and Python's functions as steps.
void bind_sources(nb::class_<Description>& description);
void bind_steps(nb::class_<Description>& description);
// The same in worker processes, and what these call.
void bind_workers(nb::module_& module, nb::class_<Description>& description);
// What concerns several samples at once.
void bind_batches(nb::module_& module, nb::class_<Description>& description);
void bind_pipeline(nb::module_& module);  // class Pipeline
// Takes the plan. `options` as options.h says.
nb::object build_pipeline(Description& description, const Slots& outputs, const nb::dict& options);

}  // namespace sluice::python
