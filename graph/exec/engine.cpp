#include <sluice/graph/exec/capture_error.h>
#include <sluice/graph/exec/engine.h>
#include <sluice/graph/exec/engine_impl.h>
#include <sluice/graph/exec/thread_pool.h>
#include <sluice/graph/passes/passes.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/uses.h>
#include <sluice/runtime/batch_memory.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/log.h>
#include <sluice/runtime/memory.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sluice::detail {
namespace {

// The kind of memory that the output needs: the device's own, pinned if the device writes it, else
// host memory.
MemoryKind kind_of_output(const Plan& plan, SlotId output, const ColumnMaker& maker) {
  if (!maker.takes_memory()) return MemoryKind::host;
  if (plan.slots[output].on_device) return MemoryKind::device;
  AliasAnalysis storages(plan);
  const std::vector<SlotId>& all = storages.of(output);
  MemoryKind kind = MemoryKind::host;
  for_each<Step>(plan.top, [&](const Step& step) {
    if (step.kind != StepKind::stream) return;
    for (const SlotId slot : step.writes) {
      if (std::find(all.begin(), all.end(), slot) != all.end()) kind = MemoryKind::pinned;
    }
  });
  return kind;
}

// `batches`: the most in flight or in the user's hands at one time.
void check_output_memory(const PipelineOptions& options, const Plan& plan,
                         const std::vector<std::unique_ptr<ColumnMaker>>& makers,
                         std::size_t batches) {
  const auto& given = options.output_memory;
  if (given.size() > makers.size()) {
    throw BuildError("output_memory is given for " + counted(given.size(), "output") +
                     ", but the pipeline has " + std::to_string(makers.size()));
  }
  for (std::size_t k = 0; k < given.size(); ++k) {
    if (given[k] == nullptr) continue;
    const std::string where = "output_memory of output " + std::to_string(k);
    if (!makers[k]->takes_memory()) {
      throw BuildError(where + ": only images and tensors can be written to given memory");
    }
    const MemoryPlace place = given[k]->place();
    const bool on_device = plan.slots[plan.outputs[k]].on_device;
    if (on_device || options.deliver_on_device) {
      const int index = options.device == nullptr ? 0 : options.device->index();
      const MemoryPlace wanted{MemoryKind::device, index};
      if (place != wanted) {
        throw BuildError(
            where + " is " + to_string(place) + ", but the output lies in " + to_string(wanted) +
            "; give memory there, or " +
            (on_device ? "return .cpu() of the output" : "leave deliver_on_device out"));
      }
    } else if (!place.on_host()) {
      throw BuildError(where + " is " + to_string(place) +
                       ", which the CPU cannot write; give host memory");
    }
    if (given[k]->most_blocks() < batches) {
      const auto blocks = given[k]->most_blocks();
      throw BuildError(where + " has only " + counted(blocks, "block") + ", but " +
                       std::to_string(batches) +
                       " batches may be in flight or held by you at one time; give it more, or "
                       "make prefetch or window smaller");
    }
  }
}

// The name of the step that makes the value. For the result of a choice or a loop, that construct's
// name.
std::string maker_of(const Plan& plan, SlotId slot) {
  std::string name = plan.slots[slot].name;
  for_each<Step>(plan.top, [&](const Step& step) {
    if (std::find(step.writes.begin(), step.writes.end(), slot) != step.writes.end())
      name = step.name;
  });
  return name;
}

Plan limited(Plan plan, const PipelineOptions& options) {
  plan.max_image_bytes = options.max_image_bytes;
  return plan;
}

void raise(std::atomic<std::size_t>& most, std::size_t bytes) {
  std::size_t seen = most.load(std::memory_order_relaxed);
  while (seen < bytes && !most.compare_exchange_weak(seen, bytes)) {
  }
}

void add_device(Stats& stats, const DeviceWork& device) {
  const DeviceCounters& counters = device.memory.counters;
  const flow::poller::spent time = device.completions.time();
  stats.device = {.name = device.device->name(),
                  .memory = device.memory.values.stats(),
                  .pinned = device.memory.pinned.stats(),
                  .batches = counters.batches.load(std::memory_order_relaxed),
                  .ahead = counters.ahead.load(std::memory_order_relaxed),
                  .as_graphs = counters.as_graphs.load(std::memory_order_relaxed),
                  .largest_batch = counters.largest.load(std::memory_order_relaxed),
                  .samples = counters.samples.load(std::memory_order_relaxed),
                  .bytes_up = counters.bytes_up.load(std::memory_order_relaxed),
                  .bytes_down = counters.bytes_down.load(std::memory_order_relaxed),
                  .given_back = counters.given_back.load(std::memory_order_relaxed),
                  .asking_ns = time.asking_ns,
                  .pausing_ns = time.pausing_ns,
                  .asleep_ns = time.asleep_ns};
}

// For each output: 1 if it is the last one that may refer to its value, and so may move it; the
// others copy it. Throws BuildError if a value must be copied but cannot be.
std::vector<char> last_uses(const Plan& plan,
                            const std::vector<std::unique_ptr<ColumnMaker>>& makers,
                            LastBatch last_batch) {
  AliasAnalysis storages(plan);
  std::vector<char> last_use(plan.outputs.size(), 1);
  for (std::size_t k = 0; k < plan.outputs.size(); ++k) {
    const std::vector<SlotId>& mine = storages.of(plan.outputs[k]);
    for (std::size_t later = k + 1; later < plan.outputs.size() && last_use[k]; ++later) {
      const std::vector<SlotId>& theirs = storages.of(plan.outputs[later]);
      for (const SlotId slot : mine) {
        if (std::find(theirs.begin(), theirs.end(), slot) != theirs.end()) last_use[k] = 0;
      }
    }
    if (!last_use[k] && !makers[k]->copyable()) {
      throw BuildError("output " + std::to_string(k) + " is also another output, but its type " +
                       std::string(short_name(plan.slots[plan.outputs[k]].type->name)) +
                       " cannot be copied");
    }
    if (last_batch == LastBatch::fill && !makers[k]->copyable()) {
      throw BuildError(
          "last_batch = fill repeats a sample, but output " + std::to_string(k) + " of type " +
          std::string(short_name(plan.slots[plan.outputs[k]].type->name)) + " cannot be copied");
    }
  }
  return last_use;
}

}  // namespace

Engine::Impl::Impl(Plan the_plan, const PipelineOptions& the_options,
                   std::vector<std::unique_ptr<ColumnMaker>> the_makers)
    : options(checked(the_options, has_step(the_plan, StepKind::stream))),
      recorded(limited(std::move(the_plan), options)),
      plan(prepare(recorded, {}, options.compose)),
      makers(std::move(the_makers)),
      last_use(last_uses(plan, makers, options.last_batch)),
      reads(reads_on_io_threads(plan)),
      total(samples_of(0)),
      until_end(total == kUntilEnd),
      reads_before(reads_of(recorded)) {
  total = delivered_of(total);
  note_counts();
  resume = start_of_resume();
  if (the_options.io_threads > 0 && !reads) {
    throw BuildError("io_threads is " + std::to_string(the_options.io_threads) +
                     ", but no source says that it blocks: give the dataset `static constexpr bool "
                     "blocks = true`, or leave io_threads out");
  }
  if (!plan.once.empty() && options.on_error.policy == OnError::Policy::replace) {
    throw BuildError(
        "on_error is replace, but the source '" + plan.once +
        "' produces each of its values once, so no value can replace another: use skip");
  }
  // More samples than an epoch has would never be used.
  window = options.window;
  if (!plan.sampler) window = std::clamp<std::int64_t>(delivered_of(plan.samples), 1, window);
  // The batches that the window reaches, or the full one being formed, plus one that is delivered.
  check_output_memory(
      options, plan, makers,
      1 + static_cast<std::size_t>(
              options.compact ? 1 : (window + options.batch_size - 1) / options.batch_size));
  for (std::int64_t i = 0; i < window; ++i) {
    samples.push_back(std::make_unique<Sample>(plan));
    samples.back()->count(options.profile);
    samples.back()->set_open_ended(until_end);
  }
  if (has_step(plan, StepKind::stream) || options.deliver_on_device) {
    if (options.device == nullptr) {
      throw BuildError(
          "steps of the pipeline run on a GPU, but PipelineOptions::device is not set: set it to "
          "gpu()");
    }
    device = std::make_unique<DeviceWork>(options.device, samples.size(), options.max_device_bytes,
                                          options.decoder);
  } else if (options.max_device_bytes > 0) {
    throw BuildError("max_device_bytes is " + std::to_string(options.max_device_bytes) +
                     ", but no step of the pipeline runs on a GPU: call .gpu() on a value, or "
                     "leave max_device_bytes out");
  }
  if (const std::string why = unused_device(options, recorded); !why.empty()) log_message({why});
  choose_memory();
  if (!options.trace.file.empty()) trace = std::make_unique<PipelineTrace>(options, plan);
  if (device != nullptr) device->trace = trace.get();
  std::vector<Sample*> handles;
  for (auto it = samples.rbegin(); it != samples.rend(); ++it) handles.push_back(it->get());
  executor = std::make_unique<Executor>(
      plan, handles, options.threads,
      reads ? static_cast<int>(std::min<std::int64_t>(options.io_threads, window)) : 0,
      options.batch_size, sample_pool,
      ExecutorHooks{
          .admit = [this](Sample& sample) { return admit(sample); },
          .begin = [this](Sample& sample) { begin(sample); },
          .finish = [this](Sample& sample) { return finish(sample); },
          .batch_ready =
              [this](std::int64_t index, const std::vector<Sample*>& in_order) {
                batch_ready(index, in_order);
              },
          .broken = [this](std::exception_ptr why) { break_off(std::move(why)); },
          .trace = trace.get(),
          .device = device.get(),
          .credits = options.thread_pool == nullptr ? nullptr : &options.thread_pool->credits()});
}

void Engine::Impl::choose_memory() {
  std::shared_ptr<DeviceBatches> batches;
  for (std::size_t k = 0; k < makers.size(); ++k) {
    makers[k]->expect(plan.slots[plan.outputs[k]].spec);
    ColumnMemory memory{.pool = &batch_pool};
    if (k < options.output_memory.size()) memory.given = options.output_memory[k];
    const MemoryKind kind = kind_of_output(plan, plan.outputs[k], *makers[k]);
    if (options.deliver_on_device && kind != MemoryKind::device && makers[k]->takes_memory())
      memory.deliver_to = &device->memory;
    if (kind != MemoryKind::host || memory.deliver_to != nullptr) {
      memory.pool = kind == MemoryKind::device ? &device->memory.values : &device->memory.pinned;
      if (batches == nullptr) batches = std::make_shared<DeviceBatches>(options.device);
      memory.device = batches;
    }
    column_memory.push_back(std::move(memory));
  }
}

bool Engine::Impl::admit(Sample& sample) noexcept {
  const std::lock_guard lock(mutex);
  if (stopping) return false;
  try {
    if (!pending_batches.admit(sample)) return false;
  } catch (...) {
    break_off_locked(std::current_exception());
    return false;
  }
  if (pending_batches.wants(sample)) ++ledger.admitted;
  if (trace != nullptr && sample.position() % options.batch_size == 0) trace_counts_now();
  return true;
}

void Engine::Impl::begin(Sample& sample) noexcept {
  const WorkScope scope(plan);
  try {
    if (order && pending_batches.wants(sample)) find_key(sample);
    pending_batches.begin(sample);
  } catch (...) {
    break_off(std::current_exception());
    sample.cancel();
  }
}

void Engine::Impl::find_key(Sample& sample) const {
  try {
    sample.set_key(order->key(sample.id()));
  } catch (const EndOfEpoch&) {
    sample.end_epoch();
  }
}

bool Engine::Impl::finish(Sample& sample) noexcept {
  const WorkScope scope(plan);
  sample.count_end();
  if (sample.past_end()) end_at(sample.position());
  if (sample.last()) end_at(sample.position() + 1);
  if (!sample.ended()) emit(sample);
  note_largest(sample);
  if (sample.ended() || !sample.warnings().empty())
    sample.batch->all_well.store(false, std::memory_order_relaxed);
  const std::int64_t stand_ins = until_end ? kUntilEnd
                                 : order   ? plan.samples
                                           : start.position + total;
  const bool replace = sample.failed() && options.on_error.policy == OnError::Policy::replace &&
                       !cancelled.load(std::memory_order_relaxed);
  sample.release_all();
  return !(replace && stand_in(sample, options.seed, stand_ins));
}

void Engine::Impl::note_largest(const Sample& sample) noexcept {
  raise(largest_sample, sample.bytes_allocated);
  raise(largest_waiting, sample.bytes_waiting);
}

void Engine::Impl::emit(Sample& sample) noexcept {
  std::size_t k = 0;
  capture_error(
      sample, [&] { return "output " + std::to_string(k); },
      [&] {
        for (; k < plan.outputs.size(); ++k) {
          try {
            sample.placers[k].column->emit(sample.placers[k].cell, sample.address(plan.outputs[k]),
                                           last_use[k]);
          } catch (const LeftEmpty& what) {
            throw Error("the step '" + maker_of(plan, plan.outputs[k]) +
                        "', which should have made this " + what.what() + ", left it empty");
          }
        }
      });
}

void Engine::Impl::batch_ready(std::int64_t index, const std::vector<Sample*>& in_order) noexcept {
  const std::size_t bytes = in_order.front()->batch->data->bytes();
  const std::lock_guard lock(mutex);
  largest_batch = std::max(largest_batch, bytes);
  ledger.cancelled += pending_batches.complete(index, in_order);
  tell_demand();
  trace_counts();
  tell_consumer();
}

void Engine::Impl::trace_counts_now() {
  trace->count(ledger.open(), pending_batches.complete_batches(),
               sample_pool.stats().bytes_in_use + batch_pool.stats().bytes_in_use);
}

void Engine::Impl::break_off(std::exception_ptr why) noexcept {
  const std::lock_guard lock(mutex);
  break_off_locked(std::move(why));
}

void Engine::Impl::break_off_locked(std::exception_ptr why) noexcept {
  if (!broken) broken = std::move(why);
  stopping = true;
  set_cancelled(true);
  tell_consumer();
}

void Engine::Impl::set_cancelled(bool now) {
  cancelled.store(now, std::memory_order_relaxed);
  executor->set_cancelled(now);
  if (now && device != nullptr) device->demand.release_all();
}

void Engine::Impl::note_counts() {
  const std::int64_t count = until_end ? known_end : start.position + total;
  count_samples.store(count, std::memory_order_relaxed);
  count_batches.store(count < 0 ? -1 : batches_of(count, until_end && made_short),
                      std::memory_order_relaxed);
}

std::int64_t Engine::Impl::progress() const {
  std::int64_t sum = 0;
  for (const auto& sample : samples) sum += sample->ends();
  return sum;
}

Stats Engine::Impl::stats() const {
  Stats s;
  add_counts(s, plan, samples);
  s.sources = reads_of(recorded, reads_before);
  const std::lock_guard lock(mutex);
  s.epoch = ledger;
  // After cancellation nothing more is delivered, so open samples count as cancelled.
  if (running && stopping) s.epoch.cancelled += ledger.open();
  s.total = total_ledger;
  if (running) s.total += s.epoch;
  s.batches = delivered_batches;
  s.epoch_waits = waits.epoch();
  s.waits = waits.total();
  s.memory.window = static_cast<std::size_t>(window);
  s.threads = executor->threads();
  s.threads_asked = options.threads;
  s.io_threads = executor->io_threads();
  s.memory.largest_sample = largest_sample.load(std::memory_order_relaxed);
  s.memory.largest_waiting = largest_waiting.load(std::memory_order_relaxed);
  s.memory.largest_batch = largest_batch;
  add_memory(s, options, {sample_pool.stats(), batch_pool.stats()});
  if (device != nullptr) add_device(s, *device);
  return s;
}

void throw_moved_from(const char* handle) {
  throw Error("this " + std::string(handle) + " was moved from; use the one it was moved to");
}

Engine::Engine(Plan plan, const PipelineOptions& options,
               std::vector<std::unique_ptr<ColumnMaker>> makers)
    : impl_(std::make_unique<Impl>(std::move(plan), options, std::move(makers))) {}

Engine::~Engine() {
  if (fork_guard_.here()) return;
  // In the child of a fork(), the engine's threads do not exist, and they may hold locks. So it is
  // never destroyed. The list keeps it reachable for leak checkers.
  static std::atomic<Impl*> inherited{nullptr};
  Impl* const left = impl_.release();
  left->next_inherited = inherited.exchange(left);
}

Engine::Impl& Engine::in_creating_process() const {
  if (fork_guard_.here()) return *impl_;
  throw Error(
      "this pipeline belongs to the process that made it, and fork() does not copy its threads; "
      "make a pipeline in the child, and destroy all others before fork()");
}

std::shared_ptr<Run> Engine::begin_epoch(std::int64_t epoch) {
  return in_creating_process().begin_epoch(epoch);
}
std::unique_ptr<BatchData> Engine::next(Run& run) { return in_creating_process().next(run); }
void Engine::cancel() { in_creating_process().cancel(nullptr); }
void Engine::cancel(const Run& run) {
  if (fork_guard_.here()) impl_->cancel(&run);
}
void Engine::stop() {
  in_creating_process().require_outside("reset()");
  impl_->forget_start();
  impl_->stop("reset(); take all batches first, or make another pipeline");
}
void Engine::shut_down() noexcept {
  if (fork_guard_.here()) impl_->shut_down();
}
Checkpoint Engine::checkpoint(std::int64_t next_epoch) const {
  return in_creating_process().checkpoint(next_epoch);
}
Inspection Engine::inspect(const SampleKey& key) const {
  in_creating_process().require_outside("inspect()", "would run itself again");
  const WorkScope scope(impl_->plan);  // marks the sample's steps as the pipeline's
  return {impl_->recorded, key, impl_->options};
}
std::int64_t Engine::samples() const { return impl_->count_samples; }
std::int64_t Engine::batches() const { return impl_->count_batches; }
const PipelineOptions& Engine::options() const { return impl_->options; }
const Plan& Engine::recorded_plan() const { return impl_->recorded; }
const Plan& Engine::plan() const { return impl_->plan; }
Stats Engine::stats() const { return in_creating_process().stats(); }

std::optional<EpochOrder> Engine::Impl::order_of(std::int64_t epoch, const Start& after) const {
  if (!plan.sampler && after.done.empty()) return {};
  const Sampler sampler = plan.sampler.value_or(Sampler());
  return EpochOrder(sampler, plan.samples, epoch, options.seed, after.done);
}

std::int64_t Engine::Impl::samples_of(std::int64_t epoch, const Start& after) const {
  const std::optional<EpochOrder> its = order_of(epoch, after);
  return its ? its->size() : plan.samples;
}

namespace {

bool uses_device(const Plan& plan) {
  bool uses = false;
  for_each<Step>(plan.top, [&](const Step& step) {
    uses = uses || (step.op != nullptr && step.op->schema().moves_to == MemoryKind::device);
  });
  return uses;
}

}  // namespace

Checkpoint Engine::Impl::describe() const {
  Sampler sampler = recorded.sampler.value_or(Sampler());
  const std::int64_t shards = std::exchange(sampler.shard, Shard()).count;
  return {.shards = shards,
          .seed = options.seed,
          .sampler = to_string(sampler),
          .dataset = datasets_of(recorded),
          .plan = digest_of(recorded),
          .gpu = uses_device(recorded)};
}

std::optional<Start> Engine::Impl::start_of_resume() const {
  if (!options.resume) return {};
  const Checkpoint& from = *options.resume;
  for (const auto& [what, number] : {std::pair{"epoch", from.epoch},
                                     {"position", from.position},
                                     {"judged", from.judged},
                                     {"batch", from.batch},
                                     {"errors", from.errors}}) {
    if (number < 0) {
      throw BuildError("the checkpoint's " + std::string(what) + " is " + std::to_string(number) +
                       "; it must be at least 0");
    }
  }
  const Checkpoint now = describe();
  require_same_run(from, now);
  Start after{.position = from.position,
              .batch = from.batch,
              .errors = from.errors,
              .judged = from.judged,
              .done = from.done};
  if (from.shards != now.shards && from.position > 0) {
    if (options.compact) {
      throw BuildError("the checkpoint is of " + counted(from.shards, "shard") +
                       ", and there are " + std::to_string(now.shards) +
                       " now; with `compact` each of them is at another position: use as many as "
                       "before, or a checkpoint of the end of an epoch");
    }
    after = {.errors = from.errors, .done = from.done};
    after.done.push_back({from.shards, from.position});
  }
  restore(from, now.shards);
  const std::int64_t all = samples_of(from.epoch, after);
  if (const std::int64_t last = std::max(after.position, after.judged); last > all) {
    throw BuildError("the checkpoint stands at sample " + std::to_string(last) + " of epoch " +
                     std::to_string(from.epoch) + ", which has " + std::to_string(all));
  }
  return after;
}

void Engine::Impl::restore(const Checkpoint& from, std::int64_t shards) const {
  std::size_t next = 0;
  for (const DatasetRecord& dataset : recorded.datasets) {
    if (!dataset.restore) continue;
    if (next == from.states.size())
      throw BuildError("the checkpoint lacks the state of the source '" + dataset.step + "'");
    if (from.shards != shards) {
      throw BuildError("the source '" + dataset.step +
                       "' has a state of its own, which belongs to " +
                       counted(from.shards, "shard") + ", not " + std::to_string(shards) +
                       "; use as many as before");
    }
    dataset.restore(from.epoch, from.position, from.states[next++]);
  }
}

Checkpoint Engine::Impl::checkpoint(std::int64_t next_epoch) const {
  Checkpoint now = place(next_epoch);
  for (const DatasetRecord& dataset : recorded.datasets) {
    if (dataset.save) now.states.push_back(dataset.save(now.epoch, now.position));
  }
  return now;
}

Checkpoint Engine::Impl::place(std::int64_t next_epoch) const {
  Checkpoint now = describe();
  const auto stand_at = [&now](std::int64_t epoch, const Start& at) {
    now.epoch = epoch;
    now.position = at.position;
    now.batch = at.batch;
    now.errors = at.errors;
    now.judged = at.judged > at.position ? at.judged : 0;
    now.done = at.done;
  };
  const std::lock_guard lock(mutex);
  if (resume && next_epoch == options.resume->epoch) {
    stand_at(next_epoch, *resume);
  } else if (current && reached.position - start.position < run_end) {
    stand_at(run->epoch, reached);
  } else {
    stand_at(next_epoch, {});
  }
  return now;
}

std::int64_t Engine::Impl::lead_of(const Start& from) const {
  return options.compact ? from.position % options.batch_size : 0;
}

void Engine::Impl::forget_start() {
  const std::lock_guard lock(mutex);
  resume.reset();
  current = false;
}

void Engine::Impl::note_taken(const BatchData& batch) {
  without_last = reached;
  const std::int64_t next = options.compact ? compactor.next_id() : -1;
  const std::int64_t finalized =
      start.position + std::min(finalized_batches * options.batch_size, run_end);
  reached.position = next >= 0 ? next : finalized;
  reached.judged = finalized;
  reached.batch = batch.index + 1;
  reached.errors += static_cast<std::int64_t>(batch.errors.size());
  with_last = reached;
}

std::string unused_device(const PipelineOptions& options, const Plan& plan) {
  if (options.device == nullptr || options.deliver_on_device || has_step(plan, StepKind::stream))
    return {};
  return "device is '" + options.device->name() +
         "', but no step of the pipeline runs on a GPU: call .gpu() on a value, set "
         "deliver_on_device, or leave device out";
}

}  // namespace sluice::detail
