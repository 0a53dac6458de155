// Evaluator: runs described steps at once, for values of Python.
//
// Images are read where they are, without a copy. Results are new. Ownership: an Evaluator owns its
// plan, and the Python functions that steps call. Threads: any; other Python threads run meanwhile.
// Errors: Error for a failed step; std::invalid_argument for a value of another type.
#include "description.h"
#include "dynamic_source.h"
#include "errors.h"
#include "text.h"
#include "values.h"
#include <sluice/graph/exec/evaluation.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace sluice::python {
namespace {

// The call that runs on this thread, which the steps at the beginning take their values from.
struct CurrentCall {
  explicit CurrentCall(const nb::tuple& of) : values(of), outer(std::exchange(innermost, this)) {}
  CurrentCall(const CurrentCall&) = delete;
  CurrentCall& operator=(const CurrentCall&) = delete;
  ~CurrentCall() { innermost = outer; }

  const nb::tuple& values;
  Exports exports;  // of the arrays that images view
  CurrentCall* outer;
  static thread_local CurrentCall* innermost;
};
thread_local CurrentCall* CurrentCall::innermost = nullptr;

// Records a source of one sample, whose values come from the call.
Slots add_inputs(Description& self, const std::vector<std::string>& types) {
  DynamicSource source{.name = "input", .samples = 1, .types = tables_of(types)};
  source.write = [types = source.types](detail::Sample& sample, const Slots& slots,
                                        const SampleInfo&) {
    CurrentCall* const call = CurrentCall::innermost;
    if (call == nullptr) throw Error("an input has a value in a call only");
    call_python([&] {
      for (std::size_t i = 0; i < slots.size(); ++i) {
        const nb::object value = call->values[i];
        if (types[i]->type == detail::slot_type<Image>()) {
          call->exports.push_back(view_image(value, sample.get<Image>(slots[i])));
        } else {
          types[i]->from_python(value, sample.address(slots[i]));
        }
      }
    });
  };
  return add_source(self, std::move(source), {});
}

class Evaluator {
 public:
  Evaluator(Description& description, const Slots& outputs) : outputs_(outputs) {
    detail::PlanBuilder& builder = description.open();
    for (const SlotId output : outputs)
      tables_.push_back(&table_of(builder.plan().slots.at(output).type));
    description.built = true;
    py_refs_ = std::exchange(description.py_refs, nullptr);
    builder.set_outputs(outputs);
    evaluation_ = std::make_unique<detail::Evaluation>(builder.take());
  }

  // Returns the outputs, and the warnings of the steps.
  nb::tuple run(const nb::tuple& values, std::uint64_t seed) {
    const CurrentCall call(values);
    const detail::Evaluation::Result result = [&] {
      const nb::gil_scoped_release unlocked;
      return evaluation_->run(seed);
    }();
    detail::Sample& sample = result.sample();
    if (const SampleError* const error = sample.error()) throw Error(error->what);
    if (sample.dropped()) throw Error("a filter has dropped the sample");
    nb::list made;
    std::vector<void*> places;  // two outputs may be the same value
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      void* const place = sample.address(outputs_[i]);
      const auto before = std::find(places.begin(), places.end(), place);
      made.append(before == places.end() ? taken(*tables_[i], place)
                                         : nb::object(made[before - places.begin()]));
      places.push_back(place);
    }
    nb::list warnings;
    for (const SampleError& warning : sample.warnings())
      warnings.append(to_str(fmt::format("{}: {}", warning.step, warning.what)));
    return nb::make_tuple(made, warnings);
  }

  int traverse(visitproc visit, void* arg) const {
    return py_refs_ == nullptr ? 0 : py_refs_->traverse(visit, arg);
  }

 private:
  // Images and tensors become an Array without a copy, unless they are views of something else.
  static nb::object taken(const TypeTable& table, void* value) {
    const auto array_of = [](Tensor tensor) {
      return nb::cast(Array(tensor.is_view() ? tensor.clone() : std::move(tensor)));
    };
    if (table.type == detail::slot_type<Tensor>())
      return array_of(std::move(*static_cast<Tensor*>(value)));
    if (table.type == detail::slot_type<Image>())
      return array_of(std::move(*static_cast<Image*>(value)).tensor());
    return table.to_python(value);
  }

  Slots outputs_;
  Tables tables_;
  std::shared_ptr<PyRefs> py_refs_;
  std::unique_ptr<detail::Evaluation> evaluation_;
};

int traverse_evaluator(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  return nb::inst_ptr<Evaluator>(self)->traverse(visit, arg);
}
PyType_Slot evaluator_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_evaluator)},
                                 {0, nullptr}};

}  // namespace

void bind_evaluation(nb::module_& module, nb::class_<Description>& description) {
  description.def("inputs", add_inputs);
  nb::class_<Evaluator>(module, "Evaluator", nb::type_slots(evaluator_slots))
      .def(nb::init<Description&, const Slots&>())
      .def("run", &Evaluator::run);
}

}  // namespace sluice::python
