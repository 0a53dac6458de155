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
#include <deque>
#include <mutex>
#include <utility>

namespace sluice {
namespace {

constexpr std::int64_t kAnyRun = -1;

}  // namespace

struct Engine::Impl {
  // A complete batch; the frames belong to the executor until it is released.
  struct Ready {
    std::int64_t index;
    const std::vector<Frame*>* frames;
  };

  Impl(Plan the_plan, const PipelineOptions& the_options,
       std::vector<std::unique_ptr<ColumnMaker>> the_makers)
      : options(checked(the_options)),
        recorded(std::move(the_plan)),
        plan(prepare(recorded)),
        makers(std::move(the_makers)) {
    last_use = last_uses(plan, makers, options.last_batch);
    total = plan.samples;
    if (options.last_batch == LastBatch::drop) total -= total % options.batch_size;
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
                      .finish = [this](Frame& frame) { return finish(frame); },
                      .batch_ready =
                          [this](std::int64_t index, const std::vector<Frame*>& in_order) {
                            batch_ready(index, in_order);
                          }});
  }

  ~Impl() { shut_down(); }

  void shut_down() noexcept {
    try {
      stop();
    } catch (const Error&) {  // an unbalanced ledger; there is nobody left to tell
    }
  }

  std::unique_ptr<BatchData> make_batch(std::int64_t index, std::size_t cells) {
    auto batch = std::make_unique<BatchData>();
    batch->index = index;
    batch->epoch = epoch;
    batch->cells = cells;
    const std::size_t room = options.last_batch == LastBatch::fill
                                 ? static_cast<std::size_t>(options.batch_size)
                                 : batch->cells;
    for (auto& maker : makers) batch->columns.push_back(maker->make(room, batch_pool));
    return batch;
  }

  // On any thread, one at a time.
  bool admit(Frame& frame) noexcept {
    const std::lock_guard lock(mutex);
    if (stopping || next_id >= total) return false;
    const std::int64_t index = next_id / options.batch_size;
    try {
      if (index >= first_in_making + static_cast<std::int64_t>(making.size())) {
        const std::int64_t left = total - index * options.batch_size;
        making.push_back(make_batch(
            index, static_cast<std::size_t>(std::min<std::int64_t>(options.batch_size, left))));
      }
    } catch (...) {
      broken = std::current_exception();
      stopping = true;
      arrived.notify_all();
      return false;
    }
    BatchData& batch = *making[static_cast<std::size_t>(index - first_in_making)];
    SampleInfo info;
    info.index_in_epoch = next_id++;
    info.batch = index;
    info.index_in_batch = info.index_in_epoch % options.batch_size;
    info.epoch = epoch;
    frame.begin(info, options.seed, options.batch_size);
    for (std::size_t k = 0; k < frame.seats.size(); ++k) {
      frame.seats[k].column = batch.columns[k].get();
      frame.seats[k].cell = static_cast<std::size_t>(info.index_in_batch);
    }
    ++ledger.admitted;
    return true;
  }

  // On the thread that ran the sample's last step.
  bool finish(Frame& frame) noexcept {
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
    ready.push_back({index, &in_order});
    arrived.notify_all();
  }

  std::unique_ptr<BatchData> next(std::int64_t of_run) {
    std::unique_lock lock(mutex);
    // What the compactor holds is for none but the run that goes on.
    const bool compact = options.compact && running && of_run == run && !stopping;
    lock.unlock();
    auto batch = compact ? next_full(of_run) : next_in_order(of_run);
    lock.lock();
    if (batch != nullptr) {
      ++delivered_batches;
      largest_batch = std::max(largest_batch, batch->bytes());
    }
    return batch;
  }

  std::unique_ptr<BatchData> next_full(std::int64_t of_run) {
    const auto full = static_cast<std::size_t>(std::min<std::int64_t>(options.batch_size, total));
    auto batch = compactor.next([&] { return next_in_order(of_run); },
                                [&](std::int64_t index) { return make_batch(index, full); });
    if (batch == nullptr && compactor.left_out() > 0) {
      const std::lock_guard lock(mutex);
      for (Ledger* counts : {&ledger, &total_ledger}) {
        counts->delivered -= compactor.left_out();
        counts->skipped += compactor.left_out();
      }
      compactor.restart();
    }
    return batch;
  }

  std::unique_ptr<BatchData> next_in_order(std::int64_t of_run) {
    std::unique_lock lock(mutex);
    if (!running || of_run != run) return nullptr;
    await(lock);
    if (broken) {
      const std::exception_ptr error = std::exchange(broken, nullptr);
      end(lock);
      std::rethrow_exception(error);
    }
    if (ready.empty() || stopping) {
      end(lock);
      return nullptr;
    }
    const Ready front = ready.front();
    try {
      delivery.judge(*making.front(), *front.frames);
    } catch (const BudgetError&) {
      end(lock);
      throw;
    }
    ready.pop_front();
    std::unique_ptr<BatchData> batch = std::move(making.front());
    making.pop_front();
    ++first_in_making;
    lock.unlock();
    const std::size_t bytes = batch->bytes();
    Ledger here;
    std::exception_ptr trouble;
    try {
      here = delivery.settle(*batch, *front.frames);
    } catch (...) {  // no memory, or a user's type that does not let itself be moved: the whole
                     // batch is lost
      trouble = std::current_exception();
      here = Ledger{};
      here.failed = static_cast<std::int64_t>(front.frames->size());
    }
    lock.lock();
    largest_batch = std::max(largest_batch, bytes);
    ledger += here;
    ++settled_batches;
    lock.unlock();
    executor->release(front.index);
    if (trouble) std::rethrow_exception(trouble);
    return batch;
  }

  // Until a batch is there, or none will come.
  void await(std::unique_lock<std::mutex>& lock) {
    const auto there = [&] {
      return !ready.empty() || stopping || broken || settled_batches == batch_count;
    };
    constexpr double kNever = 1e9;  // beyond what a wait can count
    if (options.stall_timeout <= 0 || options.stall_timeout > kNever) {
      arrived.wait(lock, there);
      return;
    }
    std::int64_t seen = progress.load(std::memory_order_relaxed);
    while (!arrived.wait_for(lock, std::chrono::duration<double>(options.stall_timeout), there)) {
      const std::int64_t now = progress.load(std::memory_order_relaxed);
      if (now == seen) throw StallError(describe_stall(plan, frames, options.stall_timeout));
      seen = now;
    }
  }

  void cancel(std::int64_t of_run) {
    const std::lock_guard lock(mutex);
    if (of_run != kAnyRun && of_run != run) return;
    stopping = true;
    cancelled.store(true, std::memory_order_relaxed);
    executor->set_cancelled(true);
    arrived.notify_all();
  }

  void stop() {
    std::unique_lock lock(mutex);
    stopping = true;
    end(lock);
  }

  // Waits until nothing runs, and closes the ledger. Leaves the lock held.
  void end(std::unique_lock<std::mutex>& lock) {
    if (!running) return;
    const bool complete = settled_batches == batch_count;
    const bool over = !std::exchange(stopping, true) && complete;
    if (!complete) {
      cancelled.store(true, std::memory_order_relaxed);
      executor->set_cancelled(true);
    }
    lock.unlock();
    executor->drain();
    std::int64_t held = 0;
    executor->for_each_held([&](const Frame&) { ++held; });
    lock.lock();
    for (const Ready& batch : ready) held += static_cast<std::int64_t>(batch.frames->size());
    ready.clear();
    making.clear();
    if (!over) {  // else they are about to be delivered
      ledger.delivered -= compactor.waiting();
      held += compactor.waiting();
      compactor.restart();
    }
    ledger.cancelled += held;
    running = false;
    total_ledger += ledger;
    if (!ledger.balanced()) {
      throw Error("samples were lost: " + to_string(ledger) +
                  "; this is a defect of the pipeline itself");
    }
  }

  std::int64_t begin_epoch(std::int64_t which) {
    std::int64_t started = 0;
    {
      std::unique_lock lock(mutex);
      stopping = true;
      end(lock);
      started = ++run;
      epoch = which;
      next_id = 0;
      first_in_making = 0;
      settled_batches = 0;
      delivery.restart(total);
      compactor.restart();
      ledger = Ledger{};
      stopping = false;
      broken = nullptr;
      running = true;
      cancelled.store(false, std::memory_order_relaxed);
    }
    executor->set_cancelled(false);
    executor->begin(total);
    return started;
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
    s.memory.largest_sample = largest_sample.load(std::memory_order_relaxed);
    s.memory.largest_batch = largest_batch;
    add_memory(s, options, {sample_pool.stats(), batch_pool.stats()});
    return s;
  }

  const PipelineOptions options;
  const Plan recorded;
  const Plan plan;
  std::vector<std::unique_ptr<ColumnMaker>> makers;
  std::vector<char> last_use;
  std::int64_t total = 0;
  std::int64_t batch_count = 0, window = 0;
  BufferPool sample_pool;
  BufferPool batch_pool;
  std::vector<std::unique_ptr<Frame>> frames;

  mutable std::mutex mutex;
  std::condition_variable arrived;
  std::deque<std::unique_ptr<BatchData>>
      making;  // batches first_in_making, ... of which samples are under way
  std::int64_t first_in_making = 0;
  std::deque<Ready> ready;
  std::int64_t run = 0;  // counts the calls of begin_epoch
  std::int64_t epoch = 0;
  std::int64_t next_id = 0;
  std::int64_t settled_batches = 0;
  std::int64_t delivered_batches = 0;
  Delivery delivery{options};
  Compactor compactor{options};
  std::size_t largest_batch = 0;
  Ledger ledger;
  Ledger total_ledger;
  bool running = false;
  bool stopping = false;
  std::exception_ptr broken;
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
  // Its threads are not here and may hold its locks. The list keeps it in sight of leak checkers.
  static std::atomic<Impl*> inherited{nullptr};
  Impl* const left = impl_.release();
  left->next_inherited = inherited.exchange(left);
}

Engine::Impl& Engine::at_home() const {
  home_.require("this pipeline");
  return *impl_;
}

std::int64_t Engine::begin_epoch(std::int64_t epoch) { return at_home().begin_epoch(epoch); }
std::unique_ptr<BatchData> Engine::next(std::int64_t run) { return at_home().next(run); }
void Engine::cancel() { at_home().cancel(kAnyRun); }
void Engine::cancel(std::int64_t run) {
  if (home_.here()) impl_->cancel(run);
}
void Engine::stop() { at_home().stop(); }
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
