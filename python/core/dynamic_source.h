// DynamicSource: a source whose types are only known at run time: the columns of a list or an
// archive, or the declared types of a Python function. Row: the values of one of its samples.
//
// Ownership: add_source() moves the source into the plan. Threads: one while a pipeline is
// described; the dataset's functions are called from any thread later. Errors: BuildError;
// for_each_value() throws std::invalid_argument.
#pragma once

#include "description.h"
#include "errors.h"
#include "options.h"
#include "text.h"
#include "values.h"
#include <sluice/graph/builder/argument.h>
#include <sluice/graph/builder/dataset.h>
#include <sluice/graph/builder/plan_builder.h>
#include <sluice/graph/completion.h>
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/options.h>
#include <sluice/graph/plan/slot.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/graph/plan/step.h>
#include <sluice/io/readers/tar.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/sample_key.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/string.h>

namespace sluice::python {

using Names = std::vector<std::string>;
using Tables = std::vector<const TypeTable*>;

// A value of a type that is known at run time.
struct DestroyValue {
  const detail::SlotType* type;
  void operator()(void* value) const noexcept {
    type->destroy(value);
    ::operator delete(value, std::align_val_t(type->alignment));
  }
};
using OwnedValue = std::unique_ptr<void, DestroyValue>;

// The values of a sample, until they are moved to its slots.
using Row = std::vector<OwnedValue>;

}  // namespace sluice::python

namespace sluice::detail {

// Lets a Completion<Row> set all slots of a source.
template <>
struct results<python::Row> {
  template <Origin kOrigin = Origin::step>
  static void write(Sample& sample, const std::vector<SlotId>& slots, python::Row&& row) {
    for (std::size_t i = 0; i < row.size(); ++i)
      row[i].get_deleter().type->move(sample.address(slots[i]), row[i].get());
  }
};

}  // namespace sluice::detail

namespace sluice::python {

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
  bool in_order = false;     // takes no sampler: sample i is the one at position i
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

// The values of a source, and the files it leaves out, as text.
using SlotsAndLeftOut = std::pair<Slots, std::string>;

inline Names paths_of(const nb::list& files) {
  Names paths;
  for (const nb::handle file : files) paths.push_back(path_of(file));
  return paths;
}

inline OwnedValue make_value(const detail::SlotType* type) {
  void* const memory = ::operator new(type->size, std::align_val_t(type->alignment));
  try {
    type->construct(memory);
  } catch (...) {
    ::operator delete(memory, std::align_val_t(type->alignment));
    throw;
  }
  return {memory, DestroyValue{type}};
}

// Calls visit for each type that a column of a list or an archive can have.
template <class Visit>
void for_each_column_type(Visit&& visit) {
  visit(std::type_identity<Bytes>());
  visit(std::type_identity<std::int32_t>());
  visit(std::type_identity<std::int64_t>());
  visit(std::type_identity<float>());
  visit(std::type_identity<double>());
  visit(std::type_identity<bool>());
  visit(std::type_identity<std::string>());
  visit(std::type_identity<std::vector<float>>());
  visit(std::type_identity<std::vector<std::int64_t>>());
}

// Reads column i of a `From` into a slot.
template <class From>
using ReadColumn = std::function<void(From&, std::size_t, void*)>;

template <class From, class Read>
std::vector<ReadColumn<From>> readers_of(const Tables& types, const Read& read) {
  std::vector<ReadColumn<From>> readers;
  for (const TypeTable* table : types) {
    ReadColumn<From> reader;
    for_each_column_type([&]<class T>(std::type_identity<T> type) {
      if (table->type != detail::slot_type<T>()) return;
      reader = [read, type](From& from, std::size_t column, void* value) {
        *static_cast<T*>(value) = read(from, column, type);
      };
    });
    if (!reader) {
      throw BuildError(fmt::format(
          "a column cannot be read as '{}'; it can be bytes (the file that it names), i32, i64, "
          "f32, f64, bool, text, list of f32 or list of i64",
          table->name));
    }
    readers.push_back(std::move(reader));
  }
  return readers;
}

// Reads all columns.
template <class From>
Row row_of(const Tables& types, const std::vector<ReadColumn<From>>& readers, From& from) {
  Row row;
  for (std::size_t i = 0; i < readers.size(); ++i) {
    row.push_back(make_value(types[i]->type));
    readers[i](from, i, row.back().get());
  }
  return row;
}

// Makes `source` read from an asynchronous dataset, which receives a Completion<Row>.
template <class Dataset>
void read_later(DynamicSource& source, const std::shared_ptr<const Dataset>& dataset) {
  const auto gate = std::make_shared<detail::EpochGate>();
  source.epoch = detail::epoch_hooks(dataset, gate);
  source.ask = [dataset, gate, samples = source.samples](detail::Sample& sample, const Slots& made,
                                                         const SampleInfo& info) {
    Completion<Row> done(sample, made);
    if (info.index >= samples) {  // this source has ended, another one has not
      (void)done.fail(std::make_exception_ptr(EndOfEpoch()));
      return;
    }
    const auto ask = [&] { (*dataset)(std::move(done), info); };
    if (sample.is_alone()) return ask();
    gate->pass(ask);
  };
}

using OfTar = detail::TarSamples::Sample;

inline std::vector<ReadColumn<const OfTar>> readers_of_tar(const Tables& types) {
  return readers_of<const OfTar>(
      types, []<class T>(const OfTar& sample, std::size_t column, std::type_identity<T>) {
        return sample.get<T>(column);
      });
}

inline Slots add_source(Description& self, DynamicSource source, const SourceOptions& options) {
  detail::PlanBuilder& builder = self.open();
  if (self.order != nullptr) self.order->note_samples(source.samples);
  const bool later = source.ask != nullptr;
  detail::Step step;
  step.name = builder.unique_name(source.name);
  step.pinned = true;
  step.kind = later ? detail::StepKind::wait : detail::StepKind::io;
  step.threads = detail::checked_threads(step.name, options.threads, later);
  step.epoch = source.epoch;
  source.dataset.step = source.name;
  builder.add_dataset(std::move(source.dataset));
  builder.set_source(step.name, source.samples, options.sampler, source.in_order,
                     std::move(source.name_of));
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
