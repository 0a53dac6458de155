#include <sluice/graph/batches_in_making.h>
#include <sluice/graph/delivery.h>
#include <sluice/graph/engine.h>
#include <sluice/graph/guarded.h>
#include <sluice/graph/last_use.h>
#include <sluice/graph/lower.h>
#include <sluice/graph/passes.h>
#include <sluice/graph/stall.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

namespace sluice {

// One run through an epoch. Guarded by the engine's lock.
struct Run {
  std::int64_t epoch = 0;
  // The call that ended it before its last batch, and what to do about that; empty when that was
  // cancel() or an error.
  std::string ended_by;
};

struct Engine::Impl {
  Impl(Plan the_plan, const PipelineOptions& the_options,
       std::vector<std::unique_ptr<ColumnMaker>> the_makers)
      : options(checked(the_options)),
        recorded(std::move(the_plan)),
        plan(prepare(recorded)),
        makers(std::move(the_makers)),
        last_use(last_uses(plan, makers, options.last_batch)),
        total(plan.samples -
              (options.last_batch == LastBatch::drop ? plan.samples % options.batch_size : 0)) {
    batch_count = (total + options.batch_size - 1) / options.batch_size;
    // More frames than samples would never be used.
    window = std::clamp<std::int64_t>(total, 1, options.window);
    for (std::int64_t i = 0; i < window; ++i) {
      frames.push_back(std::make_unique<Frame>(plan));
      frames.back()->count(options.profile);
    }
    std::vector<Frame*> handles;
    for (auto it = frames.rbegin(); it != frames.rend(); ++it) handles.push_back(it->get());
    executor = std::make_unique<Executor>(
        plan, handles, options.threads, options.batch_size, sample_pool,
        ExecutorHooks{.admit = [this](Frame& frame) { return admit(frame); },
                      .begin = [this](Frame& frame) { begin(frame); },
                      .finish = [this](Frame& frame) { return finish(frame); },
                      .batch_ready =
                          [this](std::int64_t index, const std::vector<Frame*>& in_order) {
                            batch_ready(index, in_order);
                          },
                      .broken = [this](std::exception_ptr why) { break_off(std::move(why)); }});
  }

  ~Impl() { shut_down(); }

  void shut_down() noexcept {
    if (WorkScope::is_open(plan)) {
      std::fputs(
          "sluice: a pipeline is destroyed inside one of its own steps, which it would have to "
          "wait "
          "for; destroy it on the thread that takes batches\n",
          stderr);
      std::terminate();
    }
    try {
      stop("the destruction of its pipeline; keep the pipeline until the last batch is taken");
    } catch (...) {  // an unbalanced ledger; there is nobody left to tell
    }
  }

  // Those calls that wait for steps to end.
  void require_outside(const char* call) const {
    if (!WorkScope::is_open(plan)) return;
    throw Error(std::string(call) +
                " was called inside a step of the same pipeline, which would wait for itself; call "
                "it on the thread that takes batches");
  }

  static std::size_t bytes_of(const BatchData& batch) {
    std::size_t bytes = 0;
    for (const auto& column : batch.columns) bytes += column->bytes();
    return bytes;
  }

  // Batches that may have memory at once: those that the window reaches into, one that is moved
  // into a block, and one in the user's hands; with `compact` also a full one that is being made
  // and what is left of the short one before it.
  std::size_t batches_at_once() const {
    const std::int64_t reached = (window + options.batch_size - 1) / options.batch_size;
    return static_cast<std::size_t>(reached) + (options.compact ? 4 : 2);
  }

  // On any thread, one at a time, under the window's lock: nothing of the user's runs here.
  bool admit(Frame& frame) noexcept {
    const std::lock_guard lock(mutex);
    if (stopping) return false;
    try {
      if (!making.admit(frame)) return false;
    } catch (...) {
      break_off_locked(std::current_exception());
      return false;
    }
    ++ledger.admitted;
    return true;
  }

  // On the thread that admitted the sample.
  void begin(Frame& frame) noexcept {
    const WorkScope scope(plan);
    try {
      making.begin(frame);
    } catch (...) {
      break_off(std::current_exception());
      frame.cancel();
    }
  }

  // On the thread that ran the sample's last step.
  bool finish(Frame& frame) noexcept {
    const WorkScope scope(plan);
    progress.fetch_add(1, std::memory_order_relaxed);
    if (!frame.ended()) emit(frame);
    std::size_t seen = largest_sample.load(std::memory_order_relaxed);
    while (seen < frame.bytes_allocated &&
           !largest_sample.compare_exchange_weak(seen, frame.bytes_allocated)) {
    }
    const bool replace = frame.failed() && options.on_error.policy == OnError::Policy::replace &&
                         !cancelled.load(std::memory_order_relaxed);
    frame.release_all();
    return !(replace && stand_in(frame, options.seed, total));
  }

  void emit(Frame& frame) noexcept {
    std::size_t k = 0;
    guarded(
        frame, [&] { return "output " + std::to_string(k); },
        [&] {
          for (; k < plan.outputs.size(); ++k) {
            frame.seats[k].column->emit(frame.seats[k].cell, frame.address(plan.outputs[k]),
                                        last_use[k]);
          }
        });
  }

  void batch_ready(std::int64_t index, const std::vector<Frame*>& in_order) noexcept {
    const std::lock_guard lock(mutex);
    making.complete(index, in_order);
    arrived.notify_all();
  }

  // The run cannot go on: next() throws what happened.
  void break_off(std::exception_ptr why) noexcept {
    const std::lock_guard lock(mutex);
    break_off_locked(std::move(why));
  }
  void break_off_locked(std::exception_ptr why) noexcept {
    if (!broken) broken = std::move(why);
    stopping = true;
    set_cancelled(true);
    arrived.notify_all();
  }

  void set_cancelled(bool now) {
    cancelled.store(now, std::memory_order_relaxed);
    executor->set_cancelled(now);
  }

  std::unique_ptr<BatchData> next(Run& of) {
    require_outside("next()");
    std::unique_lock lock(mutex);
    if (!running || &of != run.get()) {
      if (of.ended_by.empty()) return nullptr;
      throw Error("epoch " + std::to_string(of.epoch) + " was ended before its last batch by " +
                  of.ended_by);
    }
    // What the compactor holds is for none but the run that goes on.
    const bool compact = options.compact && !stopping;
    lock.unlock();
    auto batch = compact ? next_full() : next_in_order();
    lock.lock();
    if (batch != nullptr) {
      ++delivered_batches;
      largest_batch = std::max(largest_batch, bytes_of(*batch));
    }
    return batch;
  }

  std::unique_ptr<BatchData> next_full() {
    auto batch = compactor.next(
        [&] { return next_in_order(); },
        [&](std::int64_t index) {
          return making.make(
              index, static_cast<std::size_t>(std::min<std::int64_t>(options.batch_size, total)));
        });
    if (batch == nullptr && compactor.left_out() > 0) {
      {
        const std::lock_guard lock(mutex);
        for (Ledger* counts : {&ledger, &total_ledger}) {
          counts->delivered -= compactor.left_out();
          counts->filtered += compactor.left_out();
        }
      }
      compactor.restart();
    }
    return batch;
  }

  std::unique_ptr<BatchData> next_in_order() {
    std::unique_lock lock(mutex);
    if (!running) return nullptr;
    await(lock);
    if (broken) {
      const std::exception_ptr error = broken;
      end(lock, "");
      std::rethrow_exception(error);
    }
    // Only this thread takes batches away, so the front stays while the lock is not held.
    const BatchInMaking* front = making.complete_front();
    if (front == nullptr || stopping) {
      end(lock, "");
      return nullptr;
    }
    lock.unlock();
    try {
      delivery.judge(*front->data, *front->frames);
    } catch (const BudgetError&) {
      lock.lock();
      end(lock, "");
      throw;
    }
    lock.lock();
    const std::unique_ptr<BatchInMaking> taken = making.take_front();
    lock.unlock();
    BatchData& batch = *taken->data;
    const std::size_t bytes = bytes_of(batch);
    Ledger here;
    std::exception_ptr trouble;
    try {
      here = delivery.settle(batch, *taken->frames);
    } catch (...) {  // no memory, or a user's type that does not let itself be moved: the whole
                     // batch is lost
      trouble = std::current_exception();
      here = Ledger{};
      here.failed = static_cast<std::int64_t>(taken->frames->size());
    }
    lock.lock();
    largest_batch = std::max(largest_batch, bytes);
    ledger += here;
    ++settled_batches;
    lock.unlock();
    executor->release(batch.index);
    if (trouble) std::rethrow_exception(trouble);
    return std::move(taken->data);
  }

  // Until a batch is there, or none will come.
  void await(std::unique_lock<std::mutex>& lock) {
    const auto there = [&] {
      return making.complete_front() != nullptr || stopping || broken ||
             settled_batches == batch_count;
    };
    constexpr double kNever = 1e9;  // beyond what a wait can count
    if (options.stall_timeout <= 0 || options.stall_timeout > kNever) {
      arrived.wait(lock, there);
      return;
    }
    std::int64_t seen = progress.load(std::memory_order_relaxed);
    while (!arrived.wait_for(lock, std::chrono::duration<double>(options.stall_timeout), there)) {
      const std::int64_t now = progress.load(std::memory_order_relaxed);
      if (now == seen) {
        lock.unlock();  // samples have names that the user's code gives
        throw StallError(describe_stall(plan, frames, options.stall_timeout));
      }
      seen = now;
    }
  }

  void cancel(const Run* of) {
    const std::lock_guard lock(mutex);
    if (of != nullptr && of != run.get()) return;
    stopping = true;
    set_cancelled(true);
    arrived.notify_all();
  }

  void stop(const std::string& by) {
    std::unique_lock lock(mutex);
    stopping = true;
    end(lock, by);
  }

  // Waits until nothing runs, and closes the ledger. Leaves the lock held. `by`: the call that ends
  // a run of which the user may expect more; empty when he does not.
  void end(std::unique_lock<std::mutex>& lock, const std::string& by) {
    if (!running) return;
    const bool complete = settled_batches == batch_count;
    const bool over = !std::exchange(stopping, true) && complete;
    if (!complete) {
      set_cancelled(true);
      run->ended_by = by;
    }
    lock.unlock();
    executor->drain();
    std::int64_t held = 0;
    executor->for_each_held([&](const Frame&) { ++held; });
    if (!complete) {
      for (const auto& frame : frames) frame->release_all();
    }
    std::int64_t waiting = 0;
    if (!over) {  // else they are about to be delivered
      waiting = compactor.waiting();
      compactor.restart();
    }
    lock.lock();
    while (const std::unique_ptr<BatchInMaking> batch = making.take_front()) {
      if (batch->frames != nullptr) held += static_cast<std::int64_t>(batch->frames->size());
      lock.unlock();
      batch->data.reset();  // destroys values of the user's types
      lock.lock();
    }
    ledger.delivered -= waiting;
    ledger.cancelled += held + waiting;
    // Where a broken run left its samples nobody knows.
    if (broken) ledger.cancelled += ledger.open();
    running = false;
    total_ledger += ledger;
    if (!ledger.balanced()) {
      throw Error("samples were lost: " + to_string(ledger) +
                  "; this is a defect of the pipeline itself");
    }
  }

  std::shared_ptr<Run> begin_epoch(std::int64_t epoch) {
    require_outside("epoch()");
    auto begun = std::make_shared<Run>();
    begun->epoch = epoch;
    {
      std::unique_lock lock(mutex);
      stopping = true;
      end(lock,
          "epoch(), which began epoch " + std::to_string(epoch) +
              "; a pipeline runs one epoch at a time: take all batches first, or make another "
              "pipeline");
      run = begun;
      making.restart(epoch);
      settled_batches = 0;
      delivery.restart(total);
      compactor.restart();
      ledger = Ledger{};
      stopping = false;
      broken = nullptr;
      running = true;
      set_cancelled(false);
    }
    try {
      executor->begin(total);
    } catch (...) {
      break_off(std::current_exception());
    }
    return begun;
  }

  Stats stats() const {
    Stats s;
    add_counts(s, plan, frames);
    const std::lock_guard lock(mutex);
    s.epoch = ledger;
    // Once it is cancelled nothing more is delivered: what is open is lost to that.
    if (running && stopping) s.epoch.cancelled += ledger.open();
    s.total = total_ledger;
    if (running) s.total += s.epoch;
    s.batches = delivered_batches;
    s.memory.window = static_cast<std::size_t>(window);
    s.threads = executor->threads();
    s.threads_asked = options.threads;
    s.memory.active = static_cast<std::size_t>(s.threads);
    s.memory.largest_sample = largest_sample.load(std::memory_order_relaxed);
    s.memory.largest_batch = largest_batch;
    add_memory(s.memory, batches_at_once(), {sample_pool.stats(), batch_pool.stats()});
    return s;
  }

  const PipelineOptions options;
  const Plan recorded;
  const Plan plan;
  std::vector<std::unique_ptr<ColumnMaker>> makers;
  const std::vector<char> last_use;
  const std::int64_t total;
  std::int64_t batch_count = 0, window = 0;
  BufferPool sample_pool;
  BufferPool batch_pool;
  std::vector<std::unique_ptr<Frame>> frames;

  mutable std::mutex mutex;
  std::condition_variable arrived;
  BatchesInMaking making{options, makers, batch_pool, total};
  std::shared_ptr<Run> run;  // the one that goes on, or the last one; null before the first
  std::int64_t settled_batches = 0;
  std::int64_t delivered_batches = 0;
  Delivery delivery{options};
  Compactor compactor{options};
  std::size_t largest_batch = 0;
  Ledger ledger;
  Ledger total_ledger;
  bool running = false;
  bool stopping = false;
  std::exception_ptr broken;  // why the run cannot go on
  std::atomic<bool> cancelled{false};
  std::atomic<std::int64_t> progress{0};
  std::atomic<std::size_t> largest_sample{0};
  Impl* next_inherited = nullptr;      // see ~Engine
  std::unique_ptr<Executor> executor;  // last: its threads use all of the above
};

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
Inspection Engine::inspect(std::int64_t sample, std::int64_t epoch) const {
  return {at_home().recorded, sample, epoch, impl_->options};
}
std::int64_t Engine::samples() const { return impl_->total; }
std::int64_t Engine::batches() const { return impl_->batch_count; }
const PipelineOptions& Engine::options() const { return impl_->options; }
const Plan& Engine::recorded_plan() const { return impl_->recorded; }
const Plan& Engine::plan() const { return impl_->plan; }
Stats Engine::stats() const { return at_home().stats(); }

}  // namespace sluice
