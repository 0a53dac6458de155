#include "pipeline.h"

#include "description.h"
#include "errors.h"
#include "options.h"
#include "values.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace sluice::python {
namespace {

nb::list keys_of(const std::vector<SampleKey>& keys) {
  nb::list list;
  for (const SampleKey& key : keys) list.append(nb::make_tuple(key.epoch, key.index, key.repeat));
  return list;
}

nb::dict to_dict(detail::BatchData& data, const std::vector<const detail::SlotType*>& types) {
  nb::list columns;
  for (std::size_t i = 0; i < types.size(); ++i)
    columns.append(table_of(types[i]).column(*data.columns[i]));
  nb::dict batch;
  batch["columns"] = columns;
  batch["index"] = data.index;
  batch["epoch"] = data.epoch;
  batch["padding"] = data.padding;
  batch["ids"] = data.ids;
  batch["keys"] = keys_of(data.keys);
  batch["missing"] = data.missing;
  batch["replaced"] = data.replaced;
  batch["errors"] = to_list(data.errors);
  batch["warnings"] = to_list(data.warnings);
  return batch;
}

nb::dict to_dict(const Ledger& ledger) {
  nb::dict all;
  all["admitted"] = ledger.admitted;
  all["delivered"] = ledger.delivered;
  all["replaced"] = ledger.replaced;
  all["skipped"] = ledger.skipped;
  all["filtered"] = ledger.filtered;
  all["failed"] = ledger.failed;
  all["cancelled"] = ledger.cancelled;
  return all;
}

nb::dict to_dict(const Stats& stats) {
  nb::dict all;
  all["text"] = to_string(stats);
  all["epoch"] = to_dict(stats.epoch);
  all["total"] = to_dict(stats.total);
  all["batches"] = stats.batches;
  all["threads"] = stats.threads;
  all["io_threads"] = stats.io_threads;
  all["bytes_in_use"] = stats.memory.bytes_in_use;
  all["bytes_bound"] = stats.memory.bytes_bound;
  all["consumer_seconds"] = static_cast<double>(stats.waits.consumer_ns) * 1e-9;
  all["batches_seconds"] = static_cast<double>(stats.waits.batches_ns) * 1e-9;
  nb::list steps;
  for (const StepStats& step : stats.steps) {
    nb::dict one;
    one["name"] = step.name;
    one["path"] = step.path;
    one["runs"] = step.runs;
    one["seconds"] = static_cast<double>(step.total_ns) * 1e-9;
    steps.append(one);
  }
  all["steps"] = steps;
  nb::dict arms;
  for (const BranchStats& branch : stats.branches) {
    nb::dict taken;
    for (const ArmStats& arm : branch.arms) taken[arm.name.c_str()] = arm.taken;
    arms[(branch.path.empty() ? branch.name : branch.path + "/" + branch.name).c_str()] = taken;
  }
  all["branches"] = arms;
  nb::dict events;
  for (const EventStats& event : stats.events)
    events[(event.step + ": " + event.name).c_str()] = event.count;
  all["events"] = events;
  return all;
}

}  // namespace

Caller::~Caller() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Caller::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || job_ != nullptr; });
    if (ends_) return;
    const std::function<void()>& job = *job_;
    lock.unlock();
    std::exception_ptr error;
    try {
      job();
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    error_ = std::move(error);
    job_ = nullptr;
    changed_.notify_all();
  }
}

void Caller::run(const std::function<void()>& f, const std::function<void()>& asked,
                 const std::function<void()>& stop) {
  home_.require("a pipeline's batches");
  std::exception_ptr interrupted;
  {
    const nb::gil_scoped_release unlocked;
    std::unique_lock lock(mutex_);
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    job_ = &f;
    changed_.notify_all();
    const auto done = [this] { return job_ == nullptr; };
    while (!changed_.wait_for(lock, std::chrono::milliseconds(50), done)) {
      if (interrupted != nullptr) continue;
      lock.unlock();
      try {
        const nb::gil_scoped_acquire locked;
        asked();
      } catch (...) {
        interrupted = std::current_exception();
        stop();
      }
      lock.lock();
    }
  }
  const std::exception_ptr error = std::exchange(error_, nullptr);
  if (interrupted != nullptr) std::rethrow_exception(interrupted);
  if (error != nullptr) std::rethrow_exception(error);
}

Running::Running(std::shared_ptr<detail::Engine> engine, std::vector<const detail::SlotType*> types)
    : engine_(std::move(engine)), types_(std::move(types)), caller_(std::make_shared<Caller>()) {
  if (const auto& from = engine_->options().resume) next_epoch_ = from->epoch;
}

detail::Engine& Running::engine() const {
  if (engine_ == nullptr) throw Error("the pipeline has been closed");
  return *engine_;
}

void Running::close() {
  if (engine_ == nullptr) return;
  const std::shared_ptr<detail::Engine> engine = std::move(engine_);
  const std::shared_ptr<detail::Run> run = std::move(run_);
  // Steps that run may wait for Python's lock.
  const nb::gil_scoped_release unlocked;
  engine->shut_down();
  // What a thread of the parent's may wait for cannot be destroyed in a child.
  if (!caller_->at_home()) (void)new std::shared_ptr<Caller>(caller_);
  caller_.reset();
}

void Running::begin_epoch() {
  detail::Engine& engine = this->engine();
  const nb::gil_scoped_release unlocked;
  run_ = engine.begin_epoch(next_epoch_);
  ++next_epoch_;
}

nb::object Running::next() {
  (void)this->engine();
  if (run_ == nullptr) throw Error("no epoch has begun");
  // Another thread may close the pipeline meanwhile.
  const std::shared_ptr<detail::Engine> engine = engine_;
  const std::shared_ptr<detail::Run> run = run_;
  const std::shared_ptr<Caller> caller = caller_;
  std::unique_ptr<detail::BatchData> data;
  caller->run([&] { data = engine->next(*run); },
              [] {
                if (PyErr_CheckSignals() != 0) throw nb::python_error();
              },
              [&] { engine->cancel(); });
  if (data == nullptr) {
    (void)this->engine();
    return nb::none();
  }
  return to_dict(*data, types_);
}

std::int64_t Running::drain() {
  begin_epoch();
  const nb::gil_scoped_release unlocked;
  std::int64_t samples = 0;
  while (const auto data = engine_->next(*run_))
    samples += static_cast<std::int64_t>(data->ids.size());
  return samples;
}

void Running::reset(std::int64_t epoch) {
  detail::Engine& engine = this->engine();
  const nb::gil_scoped_release unlocked;
  engine.stop();
  next_epoch_ = epoch;
}

nb::dict Running::inspect(std::int64_t index, std::int64_t epoch) const {
  const detail::Engine& engine = this->engine();
  std::optional<Inspection> sample;
  {
    const nb::gil_scoped_release unlocked;
    sample.emplace(engine.inspect({epoch, index}));
  }
  nb::dict values;
  const detail::Plan& plan = engine.recorded_plan();
  for (const Inspection::Named& value : sample->values()) {
    const detail::SlotType* type = plan.slots.at(value.slot).type;
    if (detail::registry().name_of_type(type).empty()) continue;
    try {
      values[value.name.c_str()] = table_of(type).inspected(*sample, value.name);
    } catch (const Error&) {  // of a type that Python has none for, or made by nobody
    }
  }
  nb::dict all;
  all["values"] = values;
  all["path"] = sample->path();
  all["dropped"] = sample->dropped();
  all["error"] = sample->error() == nullptr ? nb::none() : nb::object(to_dict(*sample->error()));
  all["warnings"] = to_list(sample->warnings());
  return all;
}

nb::object build_pipeline(Description& self, const Slots& outputs, const nb::dict& options) {
  const PipelineOptions how = pipeline_options_of(options);
  detail::Recorder& recorder = self.open();
  std::vector<std::unique_ptr<detail::ColumnMaker>> makers;
  std::vector<const detail::SlotType*> types;
  for (const SlotId output : outputs) {
    const TypeTable& table = table_of(recorder.plan().slots.at(output).type);
    makers.push_back(table.make_column());
    types.push_back(table.type);
  }
  self.built = true;
  std::shared_ptr<detail::Engine> engine;
  {
    const nb::gil_scoped_release unlocked;
    engine = detail::make_engine(recorder, how, outputs, std::move(makers));
  }
  return nb::cast(new Running(std::move(engine), std::move(types)), nb::rv_policy::take_ownership);
}

void bind_pipeline(nb::module_& module) {
  nb::class_<Running>(module, "Running")
      .def("close", &Running::close)
      .def_prop_ro("closed", &Running::closed)
      .def("begin_epoch", &Running::begin_epoch)
      .def("next", &Running::next)
      .def("drain", &Running::drain)
      .def("reset", &Running::reset, nb::arg("epoch"))
      .def("cancel", &Running::cancel)
      .def_prop_ro("next_epoch", &Running::next_epoch)
      .def("inspect", &Running::inspect, nb::arg("index"), nb::arg("epoch"))
      .def_prop_ro("samples", [](const Running& r) { return r.engine().samples(); })
      .def_prop_ro("batches", [](const Running& r) { return r.engine().batches(); })
      .def("stats", [](const Running& r) { return to_dict(r.engine().stats()); })
      .def("checkpoint",
           [](const Running& r) { return r.engine().checkpoint(r.next_epoch()).to_json(); })
      .def("text", [](const Running& r) { return detail::to_string(r.engine().plan()); })
      .def("dot", [](const Running& r) { return detail::to_dot(r.engine().plan()); })
      .def("explain", [](const Running& r) { return detail::explain(r.engine().recorded_plan()); })
      .def("save", [](const Running& r, const std::string& file) {
        detail::save_plan(r.engine().recorded_plan(), file);
      });
}

}  // namespace sluice::python
