#include "description.h"

#include "text.h"
#include "values.h"
#include <sluice/graph/builder/saved_plan.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/step.h>
#include <sluice/ops/operators.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>

#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace sluice::python {
namespace {

using Parts = std::vector<std::string>;

std::string text_of(const nb::handle& object) { return nb::cast<std::string>(object); }

// Records an operator. Its arguments are slots and constants, both by name.
Slots add_operator(Description& self, const std::string& name, const nb::dict& slots,
                   const nb::dict& constants, const std::string& step) {
  detail::PlanBuilder& builder = self.open();
  const detail::OperatorPtr op = detail::registry().find(name);
  if (op == nullptr) throw BuildError(fmt::format("there is no operator '{}'", name));
  std::vector<std::pair<std::string, detail::Argument>> named;
  for (const auto& [key, slot] : slots) {
    const auto number = nb::cast<SlotId>(slot);
    named.emplace_back(text_of(key),
                       detail::SlotArgument{number, builder.plan().slots.at(number).type});
  }
  for (const auto& [key, constant] : constants) {
    const std::string parameter = text_of(key);
    for (const detail::Parameter& one : op->schema().parameters) {
      if (one.name != parameter) continue;
      try {
        named.emplace_back(parameter, constant_for(one, constant));
      } catch (const std::invalid_argument& error) {
        throw BuildError(fmt::format("{}: {}", name, error.what()));
      }
    }
  }
  return builder.add(op, op->arrange(std::move(named)), step);
}

detail::Argument argument_of(const Description& self, SlotId slot) {
  return detail::SlotArgument{slot, self.builder.plan().slots.at(slot).type};
}

detail::PlanBuilder::Place place_of(const Parts& places) {
  return [places](std::size_t i) { return i < places.size() ? places[i] : std::string(); };
}

// Records the steps of a saved plan, with these values as its inputs.
Slots apply_plan(Description& self, nb::handle path, const Slots& values) {
  const std::string file = path_of(path);
  const SavedPlan plan = load_plan(file);
  const auto& wanted = plan.source_types();
  const auto name_of = [](const detail::SlotType* type) {
    return std::string(detail::registry().name_of_type(type));
  };
  std::string types;
  for (const detail::SlotType* type : wanted) types += (types.empty() ? "" : ", ") + name_of(type);
  bool fits = values.size() == wanted.size();
  for (std::size_t i = 0; fits && i < wanted.size(); ++i)
    fits = self.open().plan().slots.at(values[i]).type == wanted[i];
  if (!fits) {
    throw BuildError(fmt::format("{} takes {} values, of the types {}: give what its source gave",
                                 file, wanted.size(), types));
  }
  return plan.add_to(self.open(), values);
}

// The same value on the pipeline's device (`there`) or in host memory.
SlotId move(Description& self, SlotId slot, bool there) {
  (void)self.open();
  const auto moved = [&]<class T>(std::type_identity<T>) {
    const Value<T> value(self.builder, slot);
    if constexpr (std::is_same_v<T, Bytes>) {
      return there ? value.gpu().slot() : slot;
    } else {
      return there ? value.gpu().slot() : value.cpu().slot();
    }
  };
  if (self.is<Image>(slot)) return moved(std::type_identity<Image>());
  if (self.is<Tensor>(slot)) return moved(std::type_identity<Tensor>());
  if (self.is<Bytes>(slot)) return moved(std::type_identity<Bytes>());
  throw BuildError(
      fmt::format("{}(): images, tensors and files move to a device, not a value of type '{}'",
                  there ? "gpu" : "cpu",
                  detail::registry().name_of_type(self.builder.plan().slots.at(slot).type)));
}

int traverse_description(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  const Description* const description = nb::inst_ptr<Description>(self);
  return description->py_refs == nullptr ? 0 : description->py_refs->traverse(visit, arg);
}
PyType_Slot description_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_description)},
                                   {0, nullptr}};

}  // namespace

detail::PlanBuilder& Description::open() {
  if (built) {
    throw BuildError(
        "this value belongs to a pipeline that has been described already: use values only inside "
        "the function that describes their pipeline");
  }
  return builder;
}

void Description::require_type(SlotId slot, const detail::SlotType* type, const char* user) {
  const detail::SlotType* has = open().plan().slots.at(slot).type;
  if (has == type) return;
  throw BuildError(fmt::format("{} takes a value of type '{}', not '{}'", user,
                               detail::registry().name_of_type(type),
                               detail::registry().name_of_type(has)));
}

void bind_description(nb::module_& module) {
  auto bound =
      nb::class_<Description>(module, "Description", nb::type_slots(description_slots))
          .def(nb::init<>())
          .def("operator", add_operator)
          .def("apply_plan", apply_plan)
          .def("type_of",
               [](const Description& self, SlotId slot) {
                 return std::string(
                     detail::registry().name_of_type(self.builder.plan().slots.at(slot).type));
               })
          .def("name_of",
               [](const Description& self, SlotId slot) {  // build() takes the plan away
                 return self.built ? std::string() : self.builder.plan().slots.at(slot).name;
               })
          .def("on_device", [](Description& self,
                               SlotId slot) { return self.open().plan().slots.at(slot).on_device; })
          .def("gpu", [](Description& self, SlotId slot) { return move(self, slot, true); })
          .def("cpu", [](Description& self, SlotId slot) { return move(self, slot, false); })
          .def("unique_name", [](Description& self,
                                 const std::string& base) { return self.open().unique_name(base); })
          .def("open_choice",
               [](Description& self, const std::string& name, const Parts& branches, bool by_number,
                  SlotId on) {
                 detail::Choosing choosing{
                     by_number ? detail::Choosing::By::number : detail::Choosing::By::truth,
                     argument_of(self, on)};
                 self.open().open_choice(name, branches, std::move(choosing));
               })
          .def("begin_branch", [](Description& self) { self.open().begin_branch(); })
          .def("end_branch", [](Description& self) { self.open().end_branch({}, place_of({})); })
          .def("close_choice",
               [](Description& self, const std::vector<Slots>& results, const Parts& places) {
                 self.open().set_branch_results(results, place_of(places));
                 return self.open().close_choice();
               })
          .def(
              "open_loop",
              [](Description& self, const std::string& name, std::int64_t most, const Slots& init) {
                const auto view = self.open().open_loop(name, most, init);
                return std::pair(view.state, view.iteration);
              })
          .def("begin_condition", [](Description& self) { self.open().begin_condition(); })
          .def("end_condition",
               [](Description& self, SlotId holds) { self.open().end_condition(holds); })
          .def("share_condition", [](Description& self) { self.open().share_condition(); })
          .def("begin_body", [](Description& self) { self.open().begin_body(); })
          .def("end_body",
               [](Description& self, const Slots& next, const Parts& places) {
                 self.open().end_body(next, place_of(places));
               })
          .def("close_loop", [](Description& self) { return self.open().close_loop(); })
          .def("begin_attempt",
               [](Description& self) {
                 self.attempts.push_back(
                     std::make_unique<detail::PlanBuilder::Attempt>(self.open()));
               })
          .def("end_attempt", [](Description& self) { self.attempts.pop_back(); })
          .def("build", build_pipeline);
  bind_functions(bound);
  bind_sources(bound);
  bind_late_sources(module, bound);
  bind_packs(module, bound);
  bind_steps(bound);
  bind_workers(module, bound);
  bind_batches(module, bound);
  bind_evaluation(module, bound);
}

}  // namespace sluice::python
