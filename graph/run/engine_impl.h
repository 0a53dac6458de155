// Engine::Impl: what an Engine is made of. engine.cpp holds what the executor calls, on the threads
// that work; engine_run.cpp what the user calls, on the thread that takes batches. Internal to
// both.
//
// Ownership, threads and errors: as Engine says. Lock order: the window's lock, then `mutex`. None
// of the user's code runs under either.
#pragma once

#include <sluice/graph/order/sampler.h>
#include <sluice/graph/run/batches_in_making.h>
#include <sluice/graph/run/begun_sources.h>
#include <sluice/graph/run/delivery.h>
#include <sluice/graph/run/device_work.h>
#include <sluice/graph/run/engine.h>
#include <sluice/graph/run/lower.h>
#include <sluice/graph/run/tracing.h>
#include <sluice/graph/run/waits.h>

#include <atomic>
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

// One run through an epoch. Guarded by the engine's lock.
struct Run {
  std::int64_t epoch = 0;
  // The call that ended it before its last batch, and what to do about that; empty when that was
  // cancel() or an error.
  std::string ended_by;
};

struct Engine::Impl {
  Impl(Plan the_plan, const PipelineOptions& the_options,
       std::vector<std::unique_ptr<ColumnMaker>> the_makers);

  ~Impl() { shut_down(); }

  void shut_down() noexcept;

  // Those calls that wait for steps to end, or run them.
  void require_outside(const char* call, const char* why_not = "would wait for itself") const;

  // Where the outputs go.
  void choose_memory();

  // On any thread, one at a time, under the window's lock: nothing of the user's runs here.
  bool admit(Sample& sample) noexcept;

  // On the thread that admitted the sample. The user's sampler may run here.
  void begin(Sample& sample) noexcept;
  void find_key(Sample& sample) const;

  // On the thread that ran the sample's last step.
  bool finish(Sample& sample) noexcept;

  // The source has no sample at this position, nor behind it.
  void end_at(std::int64_t position) noexcept;

  void emit(Sample& sample) noexcept;

  void batch_ready(std::int64_t index, const std::vector<Sample*>& in_order) noexcept;

  // The run cannot go on: next() throws what happened.
  void break_off(std::exception_ptr why) noexcept;
  void break_off_locked(std::exception_ptr why) noexcept;

  void set_cancelled(bool now);

  std::unique_ptr<BatchData> next(Run& of);

  std::unique_ptr<BatchData> next_full();

  std::unique_ptr<BatchData> next_in_order();

  // True if the next samples become a batch. Too few of them do not if short batches are dropped,
  // unless a source has failed for one of them: such an error is always reported.
  bool is_made(const BatchInMaking& next) const;
  // The compactor's, which were delivered, end in another way.
  void recount(const Ledger& those, std::int64_t Ledger::*as);

  // Wakes the consumer; called under the lock.
  void tell_consumer();
  // Returns when a batch is there, or none will come.
  void await(std::unique_lock<std::mutex>& lock);

  void cancel(const Run* of);

  void stop(const std::string& by);

  // Says which steps an end waits for.
  void tell_end_waits() const noexcept;

  // Waits until nothing runs, and closes the ledger. Leaves the lock held. `by`: the call that ends
  // a run of which the user may expect more; empty when he does not.
  void end(std::unique_lock<std::mutex>& lock, const std::string& by);
  // The same, for the one thread that does it.
  void end_alone(std::unique_lock<std::mutex>& lock, const std::string& by);

  std::shared_ptr<Run> begin_epoch(std::int64_t epoch);

  // Samples that have ended since the pipeline was made; for whoever looks for a stall.
  std::int64_t progress() const;

  Stats stats() const;

  // Updates count_samples and count_batches. Call it with the lock.
  void note_counts();
  bool drops_short_batch() const {
    return options.last_batch == LastBatch::drop && !options.compact;
  }
  // The batches of `count` samples. With `makes_short` a short one counts, even if short batches
  // are dropped.
  std::int64_t batches_of(std::int64_t count, bool makes_short) const;
  // Without those of a short batch that is not made. kUntilEnd, or close to it, if nobody knows.
  std::int64_t delivered_of(std::int64_t count) const {
    return count - (drops_short_batch() ? count % options.batch_size : 0);
  }
  // The number of samples before the start of a run that have places in its first batch. So full
  // batches are formed from the same short ones as in a run that was not interrupted.
  std::int64_t lead_of(const Start& from) const;
  // None where an epoch is the data set in its order.
  std::optional<EpochOrder> order_of(std::int64_t epoch, const Start& after) const;
  // Of the epoch, as it is cut after `after`.
  std::int64_t samples_of(std::int64_t epoch, const Start& after = {}) const;

  // What a checkpoint says of the program, whenever it is taken.
  Checkpoint describe() const;
  // What PipelineOptions::resume says, if it is for this program.
  std::optional<Start> start_of_resume() const;
  // Tells sources that keep a state.
  void restore(const Checkpoint& from, std::int64_t shards) const;
  // These run the user's code: his sources are asked.
  Checkpoint checkpoint(std::int64_t next_epoch) const;
  // The same without the states of sources.
  Checkpoint place(std::int64_t next_epoch) const;
  // The user begins where he likes.
  void forget_start();
  // The user gets this batch.
  void note_taken(const BatchData& batch);

  // Tells the trace how much is under way; called under the lock, and costs nothing without one.
  void trace_counts() {
    if (trace != nullptr) trace_counts_now();
  }
  void trace_counts_now();

  const PipelineOptions options;
  const Plan recorded;
  const Plan plan;
  std::vector<std::unique_ptr<ColumnMaker>> makers;
  const std::vector<char> last_use;
  const bool reads;      // steps of the plan do
  std::int64_t total;    // samples of this run, or of epoch 0 before the first, at most
  const bool until_end;  // how long an epoch is shows when its source says so
  // The samples and batches of an epoch; -1 while they are unknown. A child of fork() may read
  // them, so they need no lock.
  std::atomic<std::int64_t> count_samples{-1}, count_batches{-1};
  const std::vector<SourceStats> reads_before;  // what sources had read when the pipeline was made
  std::int64_t window = 0;
  BufferPool sample_pool;
  BufferPool batch_pool;
  std::unique_ptr<DeviceWork> device;  // null: no step runs on one
  std::vector<std::unique_ptr<Sample>> samples;

  mutable std::mutex mutex;
  std::condition_variable arrived;
  std::atomic<std::uint64_t> told{0};       // how often `arrived` was notified
  std::vector<ColumnMemory> column_memory;  // of each output
  BatchesInMaking making{options, makers, column_memory};
  std::shared_ptr<Run> run;  // the one that goes on, or the last one; null before the first
  Waits waits;
  std::optional<EpochOrder> order;            // of this run; none: the data set's own
  std::optional<Start> resume;                // where the first epoch begins, until it has begun
  Start start;                                // where this run begins, see lead_of()
  Start reached;                              // the same, and what the user has taken since
  Start with_last, without_last;              // that, and what it was before the last batch
  bool current = false;                       // the run is what a checkpoint is about
  std::optional<BegunSources> sources;        // of the run that goes on; the consumer's thread
  std::int64_t run_end = 0, run_batches = 0;  // of this run, as far as is known
  std::int64_t source_error = -1;             // the last sample for which a source has failed
  bool ran_through = false;                   // it has ended with its last batch
  std::int64_t known_end = -1;                // of the run that has found it last
  bool made_short = false;  // and its short batch was made, although these are dropped
  std::int64_t settled_batches = 0;
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
  bool shutting_down = false;  // on the thread that does; nobody else asks
  std::exception_ptr broken;   // why the run cannot go on
  std::atomic<bool> cancelled{false};
  std::atomic<std::size_t> largest_sample{0}, largest_waiting{0};
  Impl* next_inherited = nullptr;        // see ~Engine
  std::unique_ptr<PipelineTrace> trace;  // null: none
  std::unique_ptr<Executor> executor;    // last: its threads use all of the above
};

}  // namespace sluice::detail
