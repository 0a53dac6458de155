// Engine::Impl: the implementation of Engine, with its parts SourceEpochGuard and Waits. engine.cpp
// holds the functions that the executor calls on worker threads, and those that find the start of
// an epoch. engine_run.cpp holds those that the user calls on the thread that takes batches.
// Internal to both.
//
// Ownership, threads and errors: see Engine. Lock order: the window's lock, then `mutex`. The
// user's code never runs under either.
#pragma once

#include <sluice/graph/exec/capture_error.h>
#include <sluice/graph/exec/delivery.h>
#include <sluice/graph/exec/device_batch_plan.h>
#include <sluice/graph/exec/engine.h>
#include <sluice/graph/exec/executor.h>
#include <sluice/graph/exec/tracing.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/sampling/sampler.h>
#include <sluice/graph/stats.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace sluice::detail {

// SourceEpochGuard: tells sources about the beginning and end of an epoch. The constructor calls
// begin() of all sources; the destructor calls end() once for each begun source, in reverse order.
//
// Ownership: refers to the plan. Threads: the consumer's; call it without any lock, because it
// calls the user's code. Errors: throws what a source throws when it cannot begin; the sources
// before it are then ended.

class SourceEpochGuard {
 public:
  SourceEpochGuard(const Plan& plan, const EpochInfo& info) : plan_(plan) {
    const WorkScope scope(plan_);
    try {
      for_each<Step>(plan.top, [&](const Step& step) {
        if (step.epoch == nullptr) return;
        begun_.reserve(begun_.size() + 1);
        if (step.epoch->begin) step.epoch->begin(info);
        begun_.push_back(step.epoch.get());
      });
    } catch (...) {
      end();
      throw;
    }
  }
  SourceEpochGuard(const SourceEpochGuard&) = delete;
  SourceEpochGuard& operator=(const SourceEpochGuard&) = delete;
  ~SourceEpochGuard() { end(); }

 private:
  void end() noexcept {
    const WorkScope scope(plan_);
    for (; !begun_.empty(); begun_.pop_back()) {
      if (begun_.back()->end) begun_.back()->end();
    }
  }

  const Plan& plan_;
  std::vector<const EpochHooks*> begun_;
};

// Waits: measures how long the consumer waited for batches, and complete batches for the consumer.
//
// Ownership: owns its counts. Threads: the engine's lock guards it. No errors.

class Waits {
 public:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;

  void restart() { epoch_ = {}; }

  // The consumer asked for a batch at `asked` and got it at `got`; the batch was complete at
  // `completed`. Time in which the consumer was receiving the previous batch does not count as a
  // batch's wait.
  void taken(Time asked, Time got, Time completed) {
    const WaitStats one{between(asked, got), between(std::max(completed, returned_), asked)};
    epoch_ += one;
    total_ += one;
  }
  // Called when the consumer leaves with its batch.
  void returned(Time now) { returned_ = now; }

  const WaitStats& epoch() const { return epoch_; }
  const WaitStats& total() const { return total_; }

 private:
  static std::int64_t between(Time from, Time to) {
    if (to <= from) return 0;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count();
  }

  WaitStats epoch_;
  WaitStats total_;
  Time returned_;
};

// One run through an epoch. Guarded by the engine's lock.
struct Run {
  std::int64_t epoch = 0;
  // The call that ended it before its last batch, and what to do about that; empty if that was
  // cancel() or an error.
  std::string ended_by;
};

struct Engine::Impl {
  Impl(Plan the_plan, const PipelineOptions& the_options,
       std::vector<std::unique_ptr<ColumnMaker>> the_makers);

  ~Impl() { shut_down(); }

  void shut_down() noexcept;

  // Throws Error inside a step, for calls that wait for steps or run them.
  void require_outside(const char* call, const char* why_not = "would wait for itself") const;

  // Selects the memory of the outputs.
  void choose_memory();

  // On any thread, one at a time, under the window's lock, so it must not call the user's code.
  bool admit(Sample& sample) noexcept;

  // On the thread that admitted the sample. May call the user's sampler.
  void begin(Sample& sample) noexcept;
  void find_key(Sample& sample) const;

  // On the thread that ran the sample's last step.
  bool finish(Sample& sample) noexcept;

  // Called when the source has no sample at this position or beyond.
  void end_at(std::int64_t position) noexcept;

  // Updates the maxima of MemoryStats from the sample.
  void note_largest(const Sample& sample) noexcept;
  void emit(Sample& sample) noexcept;

  void batch_ready(std::int64_t index, const std::vector<Sample*>& in_order) noexcept;

  // Ends a run that cannot continue; next() throws `why`.
  void break_off(std::exception_ptr why) noexcept;
  void break_off_locked(std::exception_ptr why) noexcept;

  void set_cancelled(bool now);

  std::unique_ptr<BatchData> next(Run& of);

  std::unique_ptr<BatchData> next_full();

  std::unique_ptr<BatchData> next_in_order();
  // Starts to copy the next complete batches to the device, in order. Stops at the first that is
  // not copied, so that later ones do not take its memory.
  void copy_ahead();

  // True if the next samples become a batch. A short batch does not, if short batches are dropped,
  // unless a source has failed for one of its samples: that error is always reported.
  bool is_made(const PendingBatch& next) const;
  // Counts the compactor's samples, which were counted as delivered, under `as` instead.
  void recount(const Ledger& those, std::int64_t Ledger::*as);

  // Tells the device how many batches are complete. Call it with the lock held.
  void tell_demand() {
    if (device != nullptr) device->demand.set_complete(pending_batches.complete_batches());
  }
  // Wakes the consumer. Call it with the lock held.
  void tell_consumer();
  // Returns when a batch is ready or none will come.
  void await(std::unique_lock<std::mutex>& lock);

  void cancel(const Run* of);

  void stop(const std::string& by);

  // Reports the steps that an end waits for.
  void tell_end_waits() const noexcept;

  // Waits until nothing runs, and completes the counts of the run. Returns with the lock held.
  // `by`: the call that ends the run while the user may expect more batches; empty if not.
  void end(std::unique_lock<std::mutex>& lock, const std::string& by);
  // The same, for the one thread that does the work.
  void end_alone(std::unique_lock<std::mutex>& lock, const std::string& by);

  std::shared_ptr<Run> begin_epoch(std::int64_t epoch);

  // The number of samples that have ended since the pipeline was made, to detect stalls.
  std::int64_t progress() const;

  Stats stats() const;

  // Updates count_samples and count_batches. Call it with the lock.
  void note_counts();
  bool drops_short_batch() const {
    return options.last_batch == LastBatch::drop && !options.compact;
  }
  // The number of batches of `count` samples. With `makes_short`, a short batch counts even if
  // short batches are dropped.
  std::int64_t batches_of(std::int64_t count, bool makes_short) const;
  // `count` without the samples of a short batch that is dropped. kUntilEnd, or close to it, if
  // unknown.
  std::int64_t delivered_of(std::int64_t count) const {
    return count - (drops_short_batch() ? count % options.batch_size : 0);
  }
  // The number of samples before the start of a run that have places in its first batch. So full
  // batches are formed from the same short ones as in a run that was not interrupted.
  std::int64_t lead_of(const Start& from) const;
  // Nothing if an epoch is the dataset in its own order.
  std::optional<EpochOrder> order_of(std::int64_t epoch, const Start& after) const;
  // The number of samples of the epoch, as it is split after `after`.
  std::int64_t samples_of(std::int64_t epoch, const Start& after = {}) const;

  // The parts of a checkpoint that describe the program and never change.
  Checkpoint describe() const;
  // The start from PipelineOptions::resume; throws if that is for another program.
  std::optional<Start> start_of_resume() const;
  // Restores the state of sources that keep one.
  void restore(const Checkpoint& from, std::int64_t shards) const;
  // Calls the user's code: it asks the sources for their states.
  Checkpoint checkpoint(std::int64_t next_epoch) const;
  // The same without the states of sources.
  Checkpoint place(std::int64_t next_epoch) const;
  // Discards the resume position, because the user chooses an epoch.
  void forget_start();
  // Records that the user receives this batch.
  void note_taken(const BatchData& batch);

  // Traces the counts of samples and batches. Call it with the lock held. Costs nothing without a
  // trace.
  void trace_counts() {
    if (trace != nullptr) trace_counts_now();
  }
  void trace_counts_now();

  const PipelineOptions options;
  const Plan recorded;
  const Plan plan;
  std::vector<std::unique_ptr<ColumnMaker>> makers;
  const std::vector<char> last_use;
  const bool reads;      // true if steps of the plan read
  std::int64_t total;    // samples of this run, or of epoch 0 before the first run; an upper bound
  const bool until_end;  // the source determines the end of an epoch
  // The samples and batches of an epoch; -1 while unknown. A child of fork() may read them, so they
  // need no lock.
  std::atomic<std::int64_t> count_samples{-1}, count_batches{-1};
  const std::vector<SourceStats> reads_before;  // reads of the sources before the pipeline was made
  std::int64_t window = 0;
  BufferPool sample_pool;
  BufferPool batch_pool;
  std::unique_ptr<DeviceWork> device;  // null: no step runs on one
  std::vector<std::unique_ptr<Sample>> samples;

  mutable std::mutex mutex;
  std::condition_variable arrived;
  std::atomic<std::uint64_t> told{0};       // how often `arrived` was notified
  std::vector<ColumnMemory> column_memory;  // of each output
  PendingBatches pending_batches{options, makers, column_memory};
  std::shared_ptr<Run> run;  // the running one, or the last one; null before the first
  Waits waits;
  std::optional<EpochOrder> order;            // of this run; none: the dataset's own order
  std::optional<Start> resume;                // the start of the first epoch, until it has begun
  Start start;                                // the start of this run, see lead_of()
  Start reached;                              // `start`, plus the batches that the user has taken
  Start with_last, without_last;              // `reached` with and without the last batch
  bool current = false;                       // checkpoints refer to this run
  std::optional<SourceEpochGuard> sources;    // of the running epoch; used by the consumer's thread
  std::int64_t run_end = 0, run_batches = 0;  // of this run, as far as known
  std::int64_t source_error = -1;             // the last sample for which a source has failed
  bool ran_through = false;                   // the run has ended with its last batch
  std::int64_t known_end = -1;                // of the last run that reached its end
  bool made_short = false;  // that run made its short batch, although short ones are dropped
  std::int64_t finalized_batches = 0;
  std::int64_t delivered_batches = 0;
  Delivery delivery{options};
  Compactor compactor{options};
  std::size_t largest_batch = 0;
  Ledger ledger;
  Ledger total_ledger;
  bool running = false;
  bool ending = false;
  std::condition_variable ended;
  bool stopping = false;
  bool shutting_down = false;  // set by the thread that shuts down; no other thread reads it then
  std::exception_ptr broken;   // the reason why the run cannot continue
  std::atomic<bool> cancelled{false};
  std::atomic<std::size_t> largest_sample{0}, largest_waiting{0};
  Impl* next_inherited = nullptr;        // see ~Engine
  std::unique_ptr<PipelineTrace> trace;  // null: none
  std::unique_ptr<Executor> executor;    // last: its threads use all of the above
};

}  // namespace sluice::detail
