#include <sluice/graph/passes/last_use.h>
#include <sluice/graph/passes/passes.h>
#include <sluice/graph/plan/uses.h>
#include <sluice/graph/run/engine_impl.h>
#include <sluice/graph/run/guarded.h>

#include <algorithm>
#include <utility>

namespace sluice::detail {

Engine::Impl::Impl(Plan the_plan, const PipelineOptions& the_options,
                   std::vector<std::unique_ptr<ColumnMaker>> the_makers)
    : options(checked(the_options)),
      recorded(std::move(the_plan)),
      plan(prepare(recorded)),
      makers(std::move(the_makers)),
      last_use(last_uses(plan, makers, options.last_batch)),
      samples_wait(has_wait(plan)),
      total(plan.samples - (options.last_batch == LastBatch::drop && !options.compact
                                ? plan.samples % options.batch_size
                                : 0)) {
  batch_count = (total + options.batch_size - 1) / options.batch_size;
  // More records than there are samples would never be used.
  window = std::clamp<std::int64_t>(total, 1, options.window);
  for (std::int64_t i = 0; i < window; ++i) {
    samples.push_back(std::make_unique<Sample>(plan));
    samples.back()->count(options.profile);
  }
  std::vector<Sample*> handles;
  for (auto it = samples.rbegin(); it != samples.rend(); ++it) handles.push_back(it->get());
  executor = std::make_unique<Executor>(
      plan, handles, options.threads, options.batch_size, sample_pool,
      ExecutorHooks{.admit = [this](Sample& sample) { return admit(sample); },
                    .begin = [this](Sample& sample) { begin(sample); },
                    .finish = [this](Sample& sample) { return finish(sample); },
                    .batch_ready =
                        [this](std::int64_t index, const std::vector<Sample*>& in_order) {
                          batch_ready(index, in_order);
                        },
                    .broken = [this](std::exception_ptr why) { break_off(std::move(why)); }});
}

bool Engine::Impl::admit(Sample& sample) noexcept {
  const std::lock_guard lock(mutex);
  if (stopping) return false;
  try {
    if (!making.admit(sample)) return false;
  } catch (...) {
    break_off_locked(std::current_exception());
    return false;
  }
  ++ledger.admitted;
  return true;
}

void Engine::Impl::begin(Sample& sample) noexcept {
  const WorkScope scope(plan);
  try {
    making.begin(sample);
  } catch (...) {
    break_off(std::current_exception());
    sample.cancel();
  }
}

bool Engine::Impl::finish(Sample& sample) noexcept {
  const WorkScope scope(plan);
  sample.count_end();
  if (!sample.ended()) emit(sample);
  std::size_t seen = largest_sample.load(std::memory_order_relaxed);
  while (seen < sample.bytes_allocated &&
         !largest_sample.compare_exchange_weak(seen, sample.bytes_allocated)) {
  }
  const bool replace = sample.failed() && options.on_error.policy == OnError::Policy::replace &&
                       !cancelled.load(std::memory_order_relaxed);
  sample.release_all();
  return !(replace && stand_in(sample, options.seed, total));
}

void Engine::Impl::emit(Sample& sample) noexcept {
  std::size_t k = 0;
  guarded(
      sample, [&] { return "output " + std::to_string(k); },
      [&] {
        for (; k < plan.outputs.size(); ++k) {
          sample.placers[k].column->emit(sample.placers[k].cell, sample.address(plan.outputs[k]),
                                         last_use[k]);
        }
      });
}

void Engine::Impl::batch_ready(std::int64_t index, const std::vector<Sample*>& in_order) noexcept {
  const std::lock_guard lock(mutex);
  making.complete(index, in_order);
  arrived.notify_all();
}

void Engine::Impl::break_off(std::exception_ptr why) noexcept {
  const std::lock_guard lock(mutex);
  break_off_locked(std::move(why));
}

void Engine::Impl::break_off_locked(std::exception_ptr why) noexcept {
  if (!broken) broken = std::move(why);
  stopping = true;
  set_cancelled(true);
  arrived.notify_all();
}

void Engine::Impl::set_cancelled(bool now) {
  cancelled.store(now, std::memory_order_relaxed);
  executor->set_cancelled(now);
}

std::int64_t Engine::Impl::progress() const {
  std::int64_t sum = 0;
  for (const auto& sample : samples) sum += sample->ends();
  return sum;
}

Stats Engine::Impl::stats() const {
  Stats s;
  add_counts(s, plan, samples);
  const std::lock_guard lock(mutex);
  s.epoch = ledger;
  // Once it is cancelled nothing more is delivered: what is open is lost to that.
  if (running && stopping) s.epoch.cancelled += ledger.open();
  s.total = total_ledger;
  if (running) s.total += s.epoch;
  s.batches = delivered_batches;
  s.epoch_waits = waits.epoch();
  s.waits = waits.total();
  s.memory.window = static_cast<std::size_t>(window);
  s.threads = executor->threads();
  s.threads_asked = options.threads;
  s.memory.largest_sample = largest_sample.load(std::memory_order_relaxed);
  s.memory.largest_batch = largest_batch;
  add_memory(s, options, samples_wait, {sample_pool.stats(), batch_pool.stats()});
  return s;
}

Engine::Engine(Plan plan, const PipelineOptions& options,
               std::vector<std::unique_ptr<ColumnMaker>> makers)
    : impl_(std::make_unique<Impl>(std::move(plan), options, std::move(makers))) {}

Engine::~Engine() {
  if (home_.here()) return;
  // What the child of a fork() has of an engine lacks its threads, and locks may be held by them:
  // it stays as it is. The list is for leak checkers.
  static std::atomic<Impl*> inherited{nullptr};
  Impl* const left = impl_.release();
  left->next_inherited = inherited.exchange(left);
}

Engine::Impl& Engine::at_home() const {
  if (home_.here()) return *impl_;
  throw Error(
      "this pipeline belongs to the process that made it, and fork() does not copy its threads; "
      "make a pipeline in the child, and destroy all others before fork()");
}

std::shared_ptr<Run> Engine::begin_epoch(std::int64_t epoch) {
  return at_home().begin_epoch(epoch);
}
std::unique_ptr<BatchData> Engine::next(Run& run) { return at_home().next(run); }
void Engine::cancel() { at_home().cancel(nullptr); }
void Engine::cancel(const Run& run) {
  if (home_.here()) impl_->cancel(&run);
}
void Engine::stop() {
  at_home().require_outside("reset()");
  impl_->stop("reset(); take all batches first, or make another pipeline");
}
void Engine::shut_down() noexcept {
  if (home_.here()) impl_->shut_down();
}
Inspection Engine::inspect(const SampleKey& key) const {
  return {at_home().recorded, key, impl_->options};
}
std::int64_t Engine::samples() const { return impl_->total; }
std::int64_t Engine::batches() const { return impl_->batch_count; }
const PipelineOptions& Engine::options() const { return impl_->options; }
const Plan& Engine::recorded_plan() const { return impl_->recorded; }
const Plan& Engine::plan() const { return impl_->plan; }
Stats Engine::stats() const { return at_home().stats(); }

}  // namespace sluice::detail
