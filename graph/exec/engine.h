// Engine: a pipeline without its types. It admits samples, collects their values into batches,
// keeps the ledger, and applies the error policy. Pipeline<Ts...> (pipeline.h) is the typed front
// end for users.
//
// Ownership: owns the plan, the samples, the pools and the executor. Delivered batches outlive it.
// Threads: cancel() and stats() from any; the rest from one thread at a time. Errors: see Pipeline.
// In a child of fork(), members that need the threads or the samples throw Error; members for
// destructors do nothing.
#pragma once

#include <sluice/graph/exec/column.h>
#include <sluice/graph/exec/inspect.h>
#include <sluice/graph/options.h>
#include <sluice/graph/stats.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/process.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace sluice::detail {

struct Plan;

// A batch without its types.
struct BatchData {
  std::int64_t index = 0;
  std::int64_t epoch = 0;
  std::size_t cells = 0;    // number of samples that belong to it
  std::size_t padding = 0;  // repetitions of the last one
  std::vector<std::unique_ptr<Column>> columns;
  std::vector<std::int64_t> ids;       // positions of the present samples, in order
  std::vector<SampleKey> keys;         // of the same samples; a replacement sample has its own key
  std::vector<std::int64_t> missing;   // ids that were filtered or failed, in order
  std::vector<std::int64_t> replaced;  // ids of samples that were replaced
  std::vector<SampleError> errors;     // of failed samples, in order of ids
  std::vector<SampleError> warnings;   // about samples in the batch, in order of ids
  std::size_t bytes() const;           // of memory held by its columns
};
// A batch without samples.
const BatchData& no_batch();
// Throws Error if the batch is null.
const BatchData& require_batch(const BatchData* batch);
// Returns what is wrong with a pipeline that has a device but no step on it, and what to do; empty
// if it has no device, or uses it. The user may not notice that the steps run on the CPU. `plan` is
// the described one, because passes remove steps that no output needs.
std::string unused_device(const PipelineOptions& options, const Plan& plan);

// Throws Error for a use of a handle ("pipeline") that was moved from.
[[noreturn]] void throw_moved_from(const char* handle);

// The part of an epoch that was done before a run through the rest of it; see Checkpoint.
struct Start {
  std::int64_t position = 0;
  std::int64_t batch = 0;
  std::int64_t errors = 0;
  std::int64_t judged = 0;
  std::vector<Progress> done = {};
};

// One run through an epoch, for the engine.
struct Run;

class Engine {
 public:
  // Takes a recorded plan. Throws BuildError if the plan or the options are invalid.
  Engine(Plan plan, const PipelineOptions& options,
         std::vector<std::unique_ptr<ColumnMaker>> makers);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Ends a running epoch, and starts the given one.
  std::shared_ptr<Run> begin_epoch(std::int64_t epoch);
  // Returns the next batch of a run, in order; null at its end and after cancel(). Throws Error if
  // another call has ended the run before its last batch.
  std::unique_ptr<BatchData> next(Run& run);
  // Ends the epoch: running steps finish, others never start. Returns at once.
  void cancel();
  // The same for destructors, unless another run has begun.
  void cancel(const Run& run);
  // Ends the epoch and waits until nothing runs.
  void stop();
  // The same, for destructors. Throws nothing. Ends the process if called inside a step, because it
  // would have to wait for that step.
  void shut_down() noexcept;
  // True if the calling thread is in one of the steps.
  bool is_inside_step() const noexcept;

  // Sets whether the last batch counts as taken, for checkpoints. By default it does. Pass false if
  // a signal kept it from reaching the user.
  void count_last(bool counts);

  // Returns the consumer's position; `next_epoch` is the epoch that a new iteration starts.
  Checkpoint checkpoint(std::int64_t next_epoch) const;

  // Runs one sample on the calling thread.
  Inspection inspect(const SampleKey& key) const;

  // The number of samples and of batches of an epoch; -1 while unknown. Also valid in a child of
  // fork().
  std::int64_t samples() const;
  std::int64_t batches() const;
  const PipelineOptions& options() const;
  const Plan& recorded_plan() const;
  const Plan& plan() const;
  Stats stats() const;

 private:
  struct Impl;
  Impl& in_creating_process() const;

  ForkGuard fork_guard_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::detail
