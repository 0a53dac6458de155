// DynamicSource: a source whose types are only known at run time: the columns of a list or an
// archive, or the declared types of a Python function.
//
// Ownership: add_source() moves it into the plan. Threads: one while a pipeline is described; the
// dataset's functions are called from any thread later. Errors: BuildError; for_each_value() throws
// std::invalid_argument.
#pragma once

#include "description.h"
#include "errors.h"
#include "options.h"
#include "text.h"
#include "values.h"
#include <sluice/graph/builder/dataset.h>
#include <sluice/graph/builder/plan_builder.h>
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/options.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/graph/plan/step.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/sample_key.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/string.h>

namespace sluice::python {

using Tables = std::vector<const TypeTable*>;

inline Tables tables_of(const std::vector<std::string>& names) {
  Tables tables;
  for (const std::string& name : names) tables.push_back(&table_of(name));
  return tables;
}

// Calls use(i, value) for each of the `count` values that a Python function returned: a single
// value or a tuple.
template <class Use>
void for_each_value(nb::handle given, std::size_t count, const Use& use) {
  if (count == 1) return use(0, given);
  if (!nb::isinstance<nb::tuple>(given) && !nb::isinstance<nb::list>(given)) {
    throw std::invalid_argument(fmt::format("a tuple of {} values is expected, not {}{}", count,
                                            nb::cast<std::string>(given.type().attr("__name__")),
                                            cure_of_none(given)));
  }
  if (nb::len(given) != count) {
    throw std::invalid_argument(
        fmt::format("a tuple of {} values is expected, not one of {}", count, nb::len(given)));
  }
  for (std::size_t i = 0; i < count; ++i) {
    try {
      use(i, nb::object(given[i]));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("value {} of {}: {}", i, count, error.what()));
    }
  }
}

// Writes the result of a Python function to the slots, one value per slot.
inline void take_results(detail::Sample& sample, const Slots& slots, const Tables& types,
                         const nb::object& given) {
  for_each_value(given, slots.size(), [&](std::size_t i, nb::handle value) {
    take_value(*types[i], value, sample.address(slots[i]));
  });
}

struct DynamicSource {
  using Function = std::function<void(detail::Sample&, const Slots&, const SampleInfo&)>;

  std::string name;          // of the step
  std::int64_t samples = 0;  // kUntilEnd: until EndOfEpoch
  Tables types = {};         // the types of a sample's values
  // One of these is set. `write` writes the values of a sample to the slots. `ask` requests them,
  // and they come later; it is also called for indices beyond the samples.
  Function write = {};
  Function ask = {};
  std::shared_ptr<const detail::EpochHooks> epoch = {};
  std::function<std::string(const SampleKey&)> name_of = {};  // may be empty
  detail::DatasetRecord dataset = {};                         // add_source() sets its step
};

// A source in Python, without the function. A negative `count` means until EndOfEpoch.
inline DynamicSource python_source(const Description& self, const std::string& name,
                                   std::int64_t count, const std::vector<std::string>& types,
                                   const nb::object& name_of, const std::string& fingerprint) {
  DynamicSource source{.name = name, .samples = count < 0 ? kUntilEnd : count};
  source.types = tables_of(types);
  if (!name_of.is_none()) {
    source.name_of = [f = Function(self.py_refs, name_of)](const SampleKey& key) {
      return name_by(f, key.index);
    };
  }
  if (!fingerprint.empty()) source.dataset.fingerprint = [fingerprint] { return fingerprint; };
  return source;
}

inline Slots add_source(Description& self, DynamicSource source, const SourceOptions& options) {
  detail::PlanBuilder& builder = self.open();
  const bool later = source.ask != nullptr;
  detail::Step step;
  step.name = builder.unique_name(source.name);
  step.pinned = true;
  step.kind = later ? detail::StepKind::wait : detail::StepKind::io;
  step.threads = detail::checked_threads(step.name, options.threads, later);
  step.epoch = source.epoch;
  source.dataset.step = source.name;
  builder.add_dataset(std::move(source.dataset));
  builder.set_source(step.name, source.samples, options.sampler, false, std::move(source.name_of));
  for (const TypeTable* type : source.types)
    step.writes.push_back(builder.add_slot(type->type, step.name));
  Slots made = step.writes;
  if (later) {
    step.run = [ask = std::move(source.ask), made](detail::Sample& sample) {
      ask(sample, made, sample.info());
    };
  } else {
    step.run = [write = std::move(source.write), samples = source.samples,
                made](detail::Sample& sample) {
      try {
        const SampleInfo info = sample.info();
        if (info.index >= samples) throw EndOfEpoch();
        write(sample, made, info);
      } catch (const EndOfEpoch&) {
        sample.end_epoch();
      }
    };
  }
  builder.add_step(std::move(step));
  return made;
}

}  // namespace sluice::python
