#include "pipeline.h"

#include "description.h"
#include "errors.h"
#include "options.h"
#include "shut_down.h"
#include "text.h"
#include "values.h"
#include <sluice/graph/checkpoint.h>
#include <sluice/graph/exec/column.h>
#include <sluice/graph/exec/engine.h>
#include <sluice/graph/exec/inspect.h>
#include <sluice/graph/options.h>
#include <sluice/graph/pipeline.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/plan_text.h>
#include <sluice/graph/stats.h>
#include <sluice/ops/operators.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/sample_key.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
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
  all["text"] = to_str(to_string(stats));
  all["epoch"] = to_dict(stats.epoch);
  all["total"] = to_dict(stats.total);
  all["batches"] = stats.batches;
  all["threads"] = stats.threads;
  all["io_threads"] = stats.io_threads;
  all["bytes_in_use"] = stats.memory.bytes_in_use;
  all["bytes_bound"] = stats.memory.bytes_bound;
  all["consumer_seconds"] = static_cast<double>(stats.waits.consumer_ns) * 1e-9;
  all["batches_seconds"] = static_cast<double>(stats.waits.batches_ns) * 1e-9;
  nb::list sources;
  for (const SourceStats& source : stats.sources) {
    nb::dict one;
    one["step"] = to_str(source.step);
    one["files"] = source.reads.files;
    one["file_bytes"] = source.reads.file_bytes;
    one["bytes_read"] = source.reads.bytes_read;
    one["verified"] = source.reads.verified;
    one["repeated"] = source.reads.repeated;
    sources.append(one);
  }
  all["sources"] = sources;
  nb::list workers;
  for (const StepWorkers& of : stats.workers) {
    nb::dict one;
    one["step"] = to_str(of.step);
    one["workers"] = of.stats.workers;
    one["ready"] = of.stats.ready;
    one["samples"] = of.stats.samples;
    one["restarts"] = of.stats.restarts;
    one["renewals"] = of.stats.renewals;
    one["bytes_held"] = of.stats.bytes_held;
    workers.append(one);
  }
  all["workers"] = workers;
  nb::list steps;
  for (const StepStats& step : stats.steps) {
    nb::dict one;
    one["name"] = to_str(step.name);
    one["path"] = to_str(step.path);
    one["runs"] = step.runs;
    one["seconds"] = static_cast<double>(step.total_ns) * 1e-9;
    steps.append(one);
  }
  all["steps"] = steps;
  nb::dict branches;
  for (const ChoiceStats& choice : stats.choices) {
    nb::dict taken;
    for (const BranchStats& branch : choice.branches) taken[to_str(branch.name)] = branch.taken;
    branches[to_str(choice.path.empty() ? choice.name : choice.path + "/" + choice.name)] = taken;
  }
  all["branches"] = branches;
  nb::dict events;
  for (const EventStats& event : stats.events)
    events[to_str(event.step + ": " + event.name)] = event.count;
  all["events"] = events;
  return all;
}

// Returns nothing for types without a Python form, and for values that were not computed.
nb::object value_of(const Inspection& sample, const Inspection::Named& value,
                    const detail::SlotType* type) {
  if (detail::registry().name_of_type(type).empty()) return {};
  try {
    return table_of(type).inspected(sample, value);
  } catch (const Error&) {
    return {};
  }
}

// The values by the names of their steps; a tuple for a step with several.
nb::dict values_of(const Inspection& sample, const detail::Plan& plan) {
  std::vector<std::pair<std::string, std::vector<nb::object>>> steps;
  for (const Inspection::Named& value : sample.values()) {
    if (value.slot >= plan.slots.size()) continue;  // made by a step that a pass has added
    auto step = std::find_if(steps.begin(), steps.end(),
                             [&](const auto& one) { return one.first == value.name; });
    if (step == steps.end()) step = steps.insert(step, {value.name, {}});
    step->second.push_back(value_of(sample, value, plan.slots.at(value.slot).type));
  }
  nb::dict values;
  for (const auto& [name, made] : steps) {
    if (std::none_of(made.begin(), made.end(), [](const auto& one) { return one.is_valid(); }))
      continue;
    nb::list list;
    for (const nb::object& one : made) list.append(one.is_valid() ? one : nb::none());
    values[to_str(name)] = made.size() == 1 ? made[0] : nb::object(nb::tuple(list));
  }
  return values;
}

}  // namespace

// The threads that are in a call that releases the GIL.
class Running::Callers {
 public:
  // Marks one call. Constructed and destroyed with the GIL held.
  class One {
   public:
    explicit One(Callers& all) : all_(all) {
      const std::lock_guard lock(all_.mutex_);
      all_.inside_.push_back(std::this_thread::get_id());
    }
    One(const One&) = delete;
    One& operator=(const One&) = delete;
    ~One() {
      const std::lock_guard lock(all_.mutex_);
      all_.inside_.erase(
          std::find(all_.inside_.begin(), all_.inside_.end(), std::this_thread::get_id()));
      all_.left_.notify_all();
    }

   private:
    Callers& all_;
  };

  bool has_this_thread() const {
    const std::lock_guard lock(mutex_);
    return std::find(inside_.begin(), inside_.end(), std::this_thread::get_id()) != inside_.end();
  }
  // Call it without the GIL, because leaving a call needs it.
  void wait_for_others() {
    std::unique_lock lock(mutex_);
    left_.wait(lock, [this, self = std::this_thread::get_id()] {
      return std::all_of(inside_.begin(), inside_.end(), [&](auto one) { return one == self; });
    });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable left_;
  std::vector<std::thread::id> inside_;
};

Running::Running(std::shared_ptr<detail::Engine> engine, std::vector<const detail::SlotType*> types,
                 std::shared_ptr<PyRefs> py_refs, std::shared_ptr<PythonOrder> order)
    : engine_(std::move(engine)),
      types_(std::move(types)),
      py_refs_(std::move(py_refs)),
      order_(std::move(order)),
      caller_(std::make_shared<Caller>("a pipeline's batches")),
      callers_(std::make_shared<Callers>()) {
  if (const auto& from = engine_->options().resume) next_epoch_ = from->epoch;
}

Running::~Running() { let_go(); }

detail::Engine& Running::engine() const {
  if (engine_ == nullptr) throw Error("the pipeline has been closed" + closed_by_);
  return *engine_;
}

std::shared_ptr<detail::Engine> Running::shared_engine() const {
  (void)engine();
  return engine_;
}

void Running::close(const std::string& why) {
  if (engine_ == nullptr) return;
  if (engine_->is_inside_step()) {
    throw Error(
        "close() was called inside a step of the same pipeline, which it would wait for; call "
        "cancel() there, and close() on the thread that takes batches");
  }
  closed_by_ = why;
  let_go();
}

void Running::let_go() {
  if (engine_ == nullptr) return;
  const bool in_creating_process = caller_->in_creating_process();
  if (in_creating_process) engine_->cancel();
  // A signal handler may also run inside a call.
  const bool would_wait_for_itself =
      engine_->is_inside_step() || (in_creating_process && callers_->has_this_thread());
  std::function<void()> shut_down = [engine = std::exchange(engine_, nullptr),
                                     caller = std::exchange(caller_, nullptr),
                                     py_refs = std::exchange(py_refs_, nullptr), callers = callers_,
                                     in_creating_process]() mutable {
    if (in_creating_process) callers->wait_for_others();
    engine->shut_down();
    // In a child, objects that the parent's threads may be waiting on cannot be destroyed, so
    // leak them.
    if (!in_creating_process) (void)new std::shared_ptr<Caller>(caller);
    engine.reset();
    caller.reset();
    py_refs.reset();
  };
  if (would_wait_for_itself) return do_elsewhere(std::move(shut_down));
  if (!in_creating_process) return shut_down();  // fork() may have copied a locked lock
  const Callers::One inside(*callers_);
  // Active steps may be waiting for the GIL.
  const nb::gil_scoped_release unlocked;
  shut_down();
}

void Running::wait_for_others() const {
  const nb::gil_scoped_release unlocked;
  callers_->wait_for_others();
}

std::unique_lock<std::mutex> Running::take_over(const char* call, const std::string& why) {
  const std::shared_ptr<detail::Engine> engine = shared_engine();
  if (engine->is_inside_step()) {
    throw Error(
        fmt::format("{} was called inside a step of the same pipeline; call it on the thread that "
                    "takes batches",
                    call));
  }
  if (callers_->has_this_thread()) {
    throw Error(
        fmt::format("{} was called while this thread waits for a batch, for example in a signal "
                    "handler; call cancel() there",
                    call));
  }
  std::unique_lock turn(turn_, std::try_to_lock);
  if (!turn.owns_lock()) {
    if (current_ != nullptr && !current_->over) current_->ended_by = why;
    const Callers::One inside(*callers_);
    waiting_.push_back(why);
    engine->cancel();
    {
      const nb::gil_scoped_release unlocked;
      turn.lock();
    }
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), why));
  }
  (void)this->engine();
  if (current_ != nullptr && !current_->over) current_->ended_by = why;
  return turn;
}

EpochRun Running::begin_epoch() {
  const std::unique_lock turn =
      take_over("a loop", fmt::format("another loop, which began epoch {}", next_epoch_));
  return begin();
}

EpochRun Running::begin() {
  const std::shared_ptr<detail::Engine> engine = shared_engine();
  const Callers::One inside(*callers_);
  const std::int64_t epoch = next_epoch_;
  EpochRun begun{std::make_shared<EpochRun::State>()};
  begun.state->epoch = epoch;
  {
    const nb::gil_scoped_release unlocked;
    begun.state->run = engine->begin_epoch(epoch);
  }
  next_epoch_ = epoch + 1;
  current_ = begun.state;
  // A thread that came meanwhile could not cancel this run and might wait for many batches, so
  // cancel it now.
  if (!waiting_.empty()) {
    begun.state->ended_by = waiting_.back();
    engine->cancel(*begun.state->run);
  }
  return begun;
}

// Throws Error if a call ended the epoch before its last batch, and marks it as over.
static void say_if_ended(EpochRun::State& state) {
  if (state.ended_by.empty()) return;
  state.over = true;
  throw Error(
      fmt::format("epoch {} was ended before its last batch by {}", state.epoch, state.ended_by));
}

nb::object Running::next(const EpochRun& epoch) {
  EpochRun::State& state = *epoch.state;
  const std::shared_ptr<detail::Engine> engine = shared_engine();
  if (state.over) return nb::none();
  if (callers_->has_this_thread())
    throw Error(
        "a batch was asked for while this thread waits for one, for example in a signal handler");
  const std::unique_lock turn(turn_, std::try_to_lock);
  if (!turn.owns_lock()) {
    say_if_ended(state);  // by the thread that has the turn
    throw Error(
        "another thread takes batches of this pipeline, or begins an epoch: one loop in one thread "
        "does at a time");
  }
  const Callers::One inside(*callers_);
  if (std::exchange(state.given_back, false)) {
    engine->count_last(true);
    return state.last;
  }
  state.last = nb::none();
  const std::shared_ptr<Caller> caller = caller_;
  std::unique_ptr<detail::BatchData> data;
  std::exception_ptr interrupted;
  try {
    caller->run([&] { data = engine->next(*state.run); }, require_no_signal,
                [&] { engine->cancel(); });
  } catch (...) {
    if (data == nullptr) throw;
    interrupted = std::current_exception();  // but the batch did arrive
  }
  if (data == nullptr) {
    (void)this->engine();
    say_if_ended(state);
    state.over = true;
    return nb::none();
  }
  state.last = to_dict(*data, types_);
  if (interrupted != nullptr) {
    state.given_back = true;
    engine->count_last(false);
    std::rethrow_exception(interrupted);
  }
  return state.last;
}

void Running::give_back(const EpochRun& epoch) {
  EpochRun::State& state = *epoch.state;
  if (engine_ == nullptr || current_ != epoch.state || !state.last.is_valid() ||
      state.last.is_none() || std::exchange(state.given_back, true))
    return;
  engine_->count_last(false);
}

void Running::leave(const EpochRun& epoch) {
  epoch.state->over = true;
  epoch.state->last = nb::none();
  if (engine_ != nullptr) engine_->cancel(*epoch.state->run);
}

std::int64_t Running::drain() {
  const std::unique_lock turn = take_over("drain()", "drain()");
  const EpochRun epoch = begin();
  const std::shared_ptr<detail::Engine> engine = shared_engine();
  const Callers::One inside(*callers_);
  const nb::gil_scoped_release unlocked;
  std::int64_t samples = 0;
  while (const auto data = engine->next(*epoch.state->run))
    samples += static_cast<std::int64_t>(data->ids.size());
  return samples;
}

void Running::reset(std::int64_t epoch) {
  const std::unique_lock turn = take_over("reset()", "reset()");
  const std::shared_ptr<detail::Engine> engine = shared_engine();
  const Callers::One inside(*callers_);
  {
    const nb::gil_scoped_release unlocked;
    engine->stop();
  }
  next_epoch_ = epoch;
}

nb::dict Running::inspect(std::int64_t index, std::int64_t epoch) const {
  const std::shared_ptr<detail::Engine> engine = shared_engine();
  const Callers::One inside(*callers_);
  std::optional<Inspection> sample;
  {
    const nb::gil_scoped_release unlocked;
    sample.emplace(engine->inspect({epoch, index}));
  }
  nb::dict all;
  all["values"] = values_of(*sample, engine->recorded_plan());
  all["path"] = to_str(sample->path());
  all["dropped"] = sample->dropped();
  all["error"] = sample->error() == nullptr ? nb::none() : nb::object(to_dict(*sample->error()));
  all["warnings"] = to_list(sample->warnings());
  return all;
}

std::string Running::checkpoint() const {
  Checkpoint state = engine().checkpoint(next_epoch());
  if (order_ != nullptr) order_->mark(state);
  return state.to_json();
}

nb::object build_pipeline(Description& self, const Slots& outputs, const nb::dict& options) {
  PipelineOptions how = pipeline_options_of(options);
  if (self.order != nullptr && how.resume) self.order->unmark(*how.resume);
  detail::PlanBuilder& builder = self.open();
  std::vector<std::unique_ptr<detail::ColumnMaker>> makers;
  std::vector<const detail::SlotType*> types;
  for (const SlotId output : outputs) {
    const TypeTable& table = table_of(builder.plan().slots.at(output).type);
    makers.push_back(table.make_column());
    types.push_back(table.type);
  }
  if (const std::string why = detail::unused_device(how, builder.plan()); !why.empty())
    throw BuildError(why);
  self.built = true;
  std::shared_ptr<PyRefs> py_refs = std::exchange(self.py_refs, nullptr);
  std::shared_ptr<detail::Engine> engine;
  {
    const nb::gil_scoped_release unlocked;
    engine = detail::make_engine(builder, how, outputs, std::move(makers));
  }
  return nb::cast(new Running(std::move(engine), std::move(types), std::move(py_refs), self.order),
                  nb::rv_policy::take_ownership);
}

namespace {

int traverse_running(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<Running>(self)->traverse(visit, arg) : 0;
}
int clear_running(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<Running>(self)->let_go();
  return 0;
}
PyType_Slot running_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_running)},
                               {Py_tp_clear, reinterpret_cast<void*>(clear_running)},
                               {0, nullptr}};

}  // namespace

void bind_pipeline(nb::module_& module) {
  module.def("wait_for_elsewhere", wait_for_elsewhere);
  const nb::class_<EpochRun> epoch_run(module, "EpochRun");
  nb::class_<Running>(module, "Running", nb::type_slots(running_slots))
      .def("close", &Running::close, nb::arg("why") = "")
      .def("wait_for_others", &Running::wait_for_others)
      .def_prop_ro("closed", &Running::closed)
      .def("begin_epoch", &Running::begin_epoch)
      .def("next", &Running::next, nb::arg("epoch"))
      .def("give_back", &Running::give_back, nb::arg("epoch"))
      .def("leave", &Running::leave, nb::arg("epoch"))
      .def("drain", &Running::drain)
      .def("reset", &Running::reset, nb::arg("epoch"))
      .def("cancel", &Running::cancel)
      .def_prop_ro("next_epoch", &Running::next_epoch)
      .def("inspect", &Running::inspect, nb::arg("index"), nb::arg("epoch"))
      .def_prop_ro("samples", [](const Running& r) { return r.engine().samples(); })
      .def_prop_ro("batches", [](const Running& r) { return r.engine().batches(); })
      .def_prop_ro("dataset", [](const Running& r) { return r.engine().plan().samples; })
      .def("stats", [](const Running& r) { return to_dict(r.engine().stats()); })
      .def("checkpoint", &Running::checkpoint)
      .def("text", [](const Running& r) { return to_str(detail::to_string(r.engine().plan())); })
      .def("dot", [](const Running& r) { return to_str(detail::to_dot(r.engine().plan())); })
      .def("explain",
           [](const Running& r) {
             return to_str(
                 detail::explain(r.engine().recorded_plan(), r.engine().options().compose));
           })
      .def("save", [](const Running& r, nb::handle file) {
        detail::save_plan(r.engine().recorded_plan(), path_of(file));
      });
}

}  // namespace sluice::python
