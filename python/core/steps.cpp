// Python functions as steps: f(values...) for each sample, with the GIL held.
#include "description.h"
#include "dynamic_source.h"
#include "errors.h"
#include "options.h"
#include "values.h"
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/graph/plan/step.h>
#include <sluice/runtime/error.h>

#include <memory>
#include <utility>

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace sluice::python {
namespace {

Slots add_results(detail::PlanBuilder& builder, detail::Step& step, const Tables& types) {
  for (const TypeTable* type : types)
    step.writes.push_back(builder.add_slot(type->type, step.name));
  return step.writes;
}

// Records a step that calls f(values...). Without `types` it is called only for its side effects.
Slots add_step(Description& self, const std::string& name, const nb::object& function,
               const Slots& inputs, const std::vector<std::string>& types) {
  detail::PlanBuilder& builder = self.open();
  detail::Step step;
  step.name = builder.unique_name(name);
  step.reads = inputs;
  step.effect = types.empty();
  const Tables given = tables_of(types);
  Tables taken;
  for (const SlotId slot : inputs) {
    builder.use(slot, fmt::format("'{}'", step.name));
    taken.push_back(&table_of(builder.plan().slots.at(slot).type));
  }
  Slots made = add_results(builder, step, given);
  step.run = [f = Function(self.py_refs, function), inputs, taken, made,
              given](detail::Sample& sample) {
    call_python([&] {
      nb::list arguments;
      for (std::size_t i = 0; i < inputs.size(); ++i)
        arguments.append(taken[i]->to_python(sample.address(inputs[i])));
      const nb::object result = f.get()(*arguments);
      if (!made.empty()) take_results(sample, made, given, result);
    });
  };
  builder.add_step(std::move(step));
  return made;
}

// Records a source that calls function(index, epoch) for each sample, on threads that may block. An
// ordered source (`in_order`) has these methods instead: begin(epoch, first); end(); take(index),
// which returns a sample and a function to call once it has been copied; and alone(index, epoch)
// for a sample that is inspected or replaces another one. An ordered source ends by StopIteration;
// a function may also raise IndexError.
Slots add_python_source(Description& self, const std::string& name, const nb::object& function,
                        std::int64_t count, const std::vector<std::string>& types,
                        const nb::dict& options, const nb::object& name_of,
                        const std::string& fingerprint, bool in_order) {
  DynamicSource source = python_source(self, name, count, types, name_of, fingerprint);
  const Ends ends = count >= 0 ? Ends::never : in_order ? Ends::by_stop : Ends::by_stop_or_index;
  const Function f(self.py_refs, function);
  source.write = [f, given = source.types, ends, in_order](
                     detail::Sample& sample, const Slots& made, const SampleInfo& info) {
    call_python(
        [&] {
          const auto give = [&](const nb::object& value) {
            take_results(sample, made, given, value);
          };
          if (!in_order) return give(f.get()(info.index, info.epoch));
          if (sample.out_of_turn()) return give(f.get().attr("alone")(info.index, info.epoch));
          const nb::tuple taken(f.get().attr("take")(info.index));
          const auto done = [&](const void*) { taken[1](); };
          const std::unique_ptr<const void, decltype(done)> at_last(&taken, done);
          give(nb::object(taken[0]));
        },
        ends);
  };
  if (in_order) {
    detail::EpochHooks hooks;
    hooks.begin = [f](const EpochInfo& info) {
      call_python([&] { f.get().attr("begin")(info.epoch, info.first); });
    };
    hooks.end = [f] {
      try {
        call_python([&] { f.get().attr("end")(); });
      } catch (const Error&) {  // raised while the user's iterator is closed
      }
    };
    source.epoch = std::make_shared<const detail::EpochHooks>(std::move(hooks));
  }
  return add_source(self, std::move(source), source_options_of(self, options));
}

}  // namespace

void bind_steps(nb::class_<Description>& description) {
  description.def("python_step", add_step)
      .def("python_source", add_python_source, nb::arg("name"), nb::arg("function"),
           nb::arg("count"), nb::arg("types"), nb::arg("options"), nb::arg("name_of") = nb::none(),
           nb::arg("fingerprint") = "", nb::arg("in_order") = false);
}

}  // namespace sluice::python
