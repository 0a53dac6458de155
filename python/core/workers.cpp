// Python samples from worker processes: the source of a pipeline, and the worker's side.
#include "description.h"
#include "dynamic_source.h"
#include "errors.h"
#include "options.h"
#include "values.h"
#include <sluice/graph/builder/dataset.h>
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/plan/number_types.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/slot.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/graph/plan/step.h>
#include <sluice/io/workers/message.h>
#include <sluice/io/workers/pool.h>
#include <sluice/io/workers/registry.h>
#include <sluice/io/workers/values.h>
#include <sluice/io/workers/wire.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/memory.h>
#include <sluice/runtime/sample_key.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace sluice::python {
namespace {

// A value from a worker, until it is moved to its slot.
class Arrived {
 public:
  Arrived() = default;
  Arrived(const Arrived&) = delete;
  Arrived& operator=(const Arrived&) = delete;
  virtual ~Arrived() = default;
  virtual void give_to(void* slot) = 0;
};
template <class T>
class ArrivedAs final : public Arrived {
 public:
  explicit ArrivedAs(T value) : value_(std::move(value)) {}
  void give_to(void* slot) override { *static_cast<T*>(slot) = std::move(value_); }

 private:
  T value_;
};

// The functions that send and receive values of one type.
struct Traveller {
  const TypeTable* type;
  std::unique_ptr<Arrived> (*read)(detail::ReplyReader& from);
  void (*write)(const TypeTable& type, nb::handle object, detail::ReplyWriter& to);
  // These send a value to a worker.
  void (*add_input)(const void* value, detail::RequestInputs& to);
  nb::object (*take_input)(const TypeTable& type, detail::ReplyReader& from);
};
using Travellers = std::vector<Traveller>;

template <class Visit>
void for_each_wire_type(Visit&& visit) {
  detail::for_each_number_type(
      [&]<class T>(std::type_identity<T> type, const char*) { visit(type); });
  visit(std::type_identity<std::string>());
  visit(std::type_identity<Bytes>());
  visit(std::type_identity<Tensor>());
  visit(std::type_identity<Image>());
}

Travellers travellers_of(const std::vector<std::string>& types) {
  if (types.size() > detail::WireValues::kMostValues) {
    throw BuildError(
        fmt::format("{} values of a sample are sent to a worker or back; they may be {}",
                    types.size(), detail::WireValues::kMostValues));
  }
  Travellers all;
  for (const TypeTable* table : tables_of(types)) {
    Traveller one{table, nullptr, nullptr, nullptr, nullptr};
    for_each_wire_type([&]<class T>(std::type_identity<T>) {
      if (table->type != detail::slot_type<T>()) return;
      using WireType = detail::wire_type<T>;
      one.read = [](detail::ReplyReader& from) -> std::unique_ptr<Arrived> {
        return std::make_unique<ArrivedAs<T>>(WireType::read_one(from));
      };
      // Memory that take_value() allocates here is shared memory.
      one.write = [](const TypeTable& type, nb::handle object, detail::ReplyWriter& to) {
        T value{};
        take_value(type, object, &value);
        WireType::write_one(to, std::move(value));
      };
      one.add_input = [](const void* value, detail::RequestInputs& to) {
        detail::add_input(to, *static_cast<const T*>(value));
      };
      one.take_input = [](const TypeTable& type, detail::ReplyReader& from) {
        const T value = WireType::read_one(from);
        return type.to_python(&value);
      };
    });
    if (one.read == nullptr)
      throw BuildError(
          fmt::format("a value of type '{}' cannot be sent to a worker or back", table->name));
    all.push_back(one);
  }
  return all;
}

std::string names_of(const Travellers& types) {
  std::string names;
  for (const Traveller& one : types) names += (names.empty() ? "" : ", ") + one.type->name;
  return names;
}

// A sample that waits for its values.
class Request final : public detail::WorkerRequest, private detail::CompletionHandle {
 public:
  Request(detail::Sample& sample, const Travellers& types, const Slots& slots,
          bool together = false)
      : CompletionHandle(sample), types_(types), slots_(slots), together_(together) {}

  void give(detail::ReplyReader& reply) override {
    std::vector<std::unique_ptr<Arrived>> values;
    for (const Traveller& type : types_) values.push_back(type.read(reply));
    detail::finish_sample(reply);
    (void)fire([&](detail::Sample& sample) {
      for (std::size_t i = 0; i < values.size(); ++i) values[i]->give_to(sample.address(slots_[i]));
    });
  }
  void fail(const std::string& what) noexcept override { (void)fire_error(what); }
  void end() noexcept override { (void)fire_error(std::make_exception_ptr(EndOfEpoch())); }
  bool made_with_others() const noexcept override { return together_; }
  void refuse(const std::string& what) noexcept override { (void)fire_last_error(what); }

 private:
  const Travellers& types_;  // owned by the step, which waits for the sample
  const Slots& slots_;
  const bool together_;
};

// True if this thread holds the GIL.
bool has_pythons_lock() {
#ifdef Py_LIMITED_API  // from 3.12 on, where each thread knows its own state
  return PyThreadState_GetDict() != nullptr;
#else
  return PyGILState_Check() != 0;
#endif
}

// The worker processes. The destructor releases the GIL if the calling thread holds it.
class Workers {
 public:
  Workers(const std::string& name, const Travellers& types, std::int64_t samples,
          const WorkerOptions& options)
      : pool_(std::make_unique<detail::WorkerPool>(name, names_of(types), samples, options)) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    if (Py_IsInitialized() && has_pythons_lock()) {
      const nb::gil_scoped_release unlocked;
      pool_.reset();
    }
  }

  void fetch(const SampleInfo& info, std::unique_ptr<Request> request,
             std::shared_ptr<detail::RequestInputs> inputs = nullptr) const {
    pool_->fetch(info, std::move(request), std::move(inputs));
  }
  // For the plan's hooks.
  void begin_epoch(const EpochInfo& info) const {
    pool_->begin_epoch();
    ++round_;
    first_ = info.first;
    window_ = info.window;
  }
  void end_epoch() const noexcept { pool_->end_epoch(); }
  WorkerStats stats() const { return pool_->stats(); }

  // The arguments for an iterator: the index; the epoch; the number of the pipeline's epoch from 1
  // on, or 0 for a sample that is inspected or replaces another one; and the lowest index that may
  // still be requested.
  static inline const std::vector<std::string> kPlace{"i64", "i64", "i64", "i64"};
  std::shared_ptr<detail::RequestInputs> place_of(const SampleInfo& info, bool alone) const {
    auto place = std::make_shared<detail::RequestInputs>();
    const std::int64_t oldest = alone ? info.index : std::max(first_, info.index - window_);
    for (const std::int64_t number : {info.index, info.epoch, alone ? 0 : round_, oldest})
      detail::add_input(*place, number);
    return place;
  }

 private:
  std::unique_ptr<detail::WorkerPool> pool_;
  mutable std::int64_t round_ = 0, first_ = 0, window_ = 0;  // constant during an epoch
};

// `keep` must live as long as workers are started. `in_order`: samples are requested by their
// place, see Workers. `together`: all samples of a group are made at once.
Slots add_worker_source(Description& self, const std::string& name, std::int64_t count,
                        const std::vector<std::string>& types, const nb::dict& options,
                        const nb::dict& workers, const nb::object& keep, const nb::object& name_of,
                        const std::string& fingerprint, bool in_order, bool together) {
  (void)self.open();
  const SourceOptions source_options = source_options_of(self, options);
  const Travellers travellers = travellers_of(types);
  DynamicSource source = python_source(self, name, count, types, name_of, fingerprint);
  const auto pool =
      std::make_shared<const Workers>(name, travellers, source.samples, worker_options_of(workers));
  const auto gate = std::make_shared<detail::EpochGate>();
  source.epoch = detail::epoch_hooks(pool, gate);
  source.ask = [pool, gate, travellers, in_order, together, samples = source.samples,
                kept = Object(keep)](detail::Sample& sample, const Slots& made,
                                     const SampleInfo& info) {
    auto request = std::make_unique<Request>(sample, travellers, made, together);
    if (info.index >= samples) return request->end();  // this source has ended, another one has not
    const bool alone = sample.out_of_turn();
    const auto ask = [&] {
      pool->fetch(info, std::move(request), in_order ? pool->place_of(info, alone) : nullptr);
    };
    if (sample.is_alone()) return ask();
    gate->pass(ask);
  };
  return add_source(self, std::move(source), source_options);
}

// Like add_worker_source, but for a function of values.
Slots add_worker_step(Description& self, const std::string& name, const Slots& inputs,
                      const std::vector<std::string>& types, const nb::dict& workers,
                      const nb::object& keep) {
  detail::PlanBuilder& builder = self.open();
  std::vector<std::string> taken;
  for (const SlotId slot : inputs) {
    builder.use(slot, fmt::format("'{}'", name));
    taken.push_back(table_of(builder.plan().slots.at(slot).type).name);
  }
  const Travellers gives = travellers_of(types), takes = travellers_of(taken);
  WorkerOptions options = worker_options_of(workers);
  options.mini_batch = 1;
  const auto pool = std::make_shared<const Workers>(name, gives, kUntilEnd, options);
  const auto gate = std::make_shared<detail::EpochGate>();
  detail::Step step;
  step.name = builder.unique_name(name);
  step.reads = inputs;
  step.kind = detail::StepKind::wait;
  step.effect = types.empty();
  step.epoch = detail::epoch_hooks(pool, gate);
  for (const Traveller& one : gives)
    step.writes.push_back(builder.add_slot(one.type->type, step.name));
  Slots made = step.writes;
  step.run = [pool, gate, gives, takes, inputs, made, kept = Object(keep)](detail::Sample& sample) {
    auto values = std::make_shared<detail::RequestInputs>();
    for (std::size_t i = 0; i < inputs.size(); ++i)
      takes[i].add_input(sample.address(inputs[i]), *values);
    auto request = std::make_unique<Request>(sample, gives, made);
    const SampleInfo info = sample.info();
    const auto ask = [&] { pool->fetch(info, std::move(request), std::move(values)); };
    if (sample.is_alone()) return ask();
    gate->pass(ask);
  };
  builder.add_step(std::move(step));
  return made;
}

// function(indices, epoch, place) returns the sample at this place.
nb::object one_of_several(nb::handle function, const detail::WorkerTask& task) {
  nb::list indices;
  for (const SampleInfo& info : task.group) indices.append(info.index);
  return function(indices, task.info.epoch, task.place);
}

// In a worker: serves until the parent closes the socket. make(worker, workers) returns the
// function that makes samples: of (index, epoch), or of values with these types if `inputs` is a
// list. If make raises an exception, setup may be retried; a BuildError is final. `ended_by`: the
// exception of the function that ends the epoch, "StopIteration" or "IndexError", which includes
// the former; anything else means none. `together`: see one_of_several().
void serve_worker(const std::string& asked, const std::vector<std::string>& types,
                  const std::string& ended_by, const nb::object& make, const nb::object& inputs,
                  bool together) {
  const Ends ends = ended_by == "IndexError"      ? Ends::by_stop_or_index
                    : ended_by == "StopIteration" ? Ends::by_stop
                                                  : Ends::never;
  const Travellers travellers = travellers_of(types);
  const bool called = !inputs.is_none();
  const Travellers takes = travellers_of(called ? nb::cast<std::vector<std::string>>(inputs)
                                                : std::vector<std::string>());
  const std::string name =
      asked.substr(std::min(asked.size(), sizeof(detail::kWorkerArgument) - 1));
  detail::WorkerEntry entry;
  entry.types = names_of(travellers);
  entry.make = [make = Object(make), travellers, takes, called, together,
                ends](const WorkerArguments& told) -> detail::AnyWorkerReader {
    Object function;
    call_python([&] { function = Object(nb::object(make.get()(told.worker, told.workers))); });
    // The function may keep its arguments, so they are in private memory; its results are in shared
    // memory.
    const auto own = std::make_shared<BufferPool>();
    return [function = std::move(function), travellers, takes, called, together, ends, own](
               const detail::WorkerTask& task, detail::ReplyWriter& to) {
      if (called != (task.inputs != nullptr)) throw Error("it was asked for what it does not do");
      call_python(
          [&] {
            nb::list arguments;
            {
              const BufferPoolScope scope(*own);
              for (const Traveller& one : takes)
                arguments.append(one.take_input(*one.type, *task.inputs));
            }
            if (called) detail::finish_sample(*task.inputs);
            const nb::object given = called     ? function.get()(*arguments)
                                     : together ? one_of_several(function.get(), task)
                                                : function.get()(task.info.index, task.info.epoch);
            if (travellers.empty()) return;
            for_each_value(given, travellers.size(), [&](std::size_t i, nb::handle value) {
              travellers[i].write(*travellers[i].type, value, to);
            });
          },
          ends);
    };
  };
  (void)detail::add_worker(name, std::move(entry));
  std::string program = "python", argument = asked;
  char* arguments[] = {program.data(), argument.data(), nullptr};
  const nb::gil_scoped_release unlocked;
  if (!detail::worker_main(2, arguments)) throw Error("this process was not started as a worker");
}

}  // namespace

void bind_workers(nb::module_& module, nb::class_<Description>& description) {
  description.def("worker_source", add_worker_source, nb::arg("name"), nb::arg("count"),
                  nb::arg("types"), nb::arg("options"), nb::arg("workers"), nb::arg("keep"),
                  nb::arg("name_of").none(), nb::arg("fingerprint"), nb::arg("in_order") = false,
                  nb::arg("together") = false);
  description.def_static("place_types", [] { return Workers::kPlace; });
  description.def("worker_step", add_worker_step, nb::arg("name"), nb::arg("inputs"),
                  nb::arg("types"), nb::arg("workers"), nb::arg("keep"));
  module.def("serve_worker", serve_worker, nb::arg("asked"), nb::arg("types"), nb::arg("ended_by"),
             nb::arg("make"), nb::arg("inputs").none(), nb::arg("together"));
}

}  // namespace sluice::python
