// Engine: a pipeline without its types. Admits samples, gathers what they give into batches, keeps
// the ledger, applies the error policy. Pipeline<Ts...> (pipeline.h) is the typed front that users
// hold.
//
// Ownership: owns the plan, the records, the pools and the executor. Batches that were taken
// outlive it. Threads: cancel() and stats() from any; the rest from one thread at a time. Errors:
// as Pipeline says. In a child of fork() whatever needs the threads or the records throws Error;
// what is for destructors does nothing.
#pragma once

#include <sluice/graph/options.h>
#include <sluice/graph/plan/column.h>
#include <sluice/graph/run/inspect.h>
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
  std::size_t cells = 0;    // samples that belong to it
  std::size_t padding = 0;  // repetitions of the last one
  std::vector<std::unique_ptr<Column>> columns;
  std::vector<std::int64_t> ids;       // positions of the samples in it, in order
  std::vector<SampleKey> keys;         // of the same samples; a stand-in's are its own
  std::vector<std::int64_t> missing;   // ids that were filtered or failed, in order
  std::vector<std::int64_t> replaced;  // ids whose place another sample took
  std::vector<SampleError> errors;     // of those that failed, in order of ids
  std::vector<SampleError> warnings;   // about samples in it, in order of ids
  std::size_t bytes() const;           // of memory held by its columns
};
// One without samples.
const BatchData& no_batch();
// Throws Error where there is none.
const BatchData& require_batch(const BatchData* batch);
// What is asked of a handle ("pipeline") that has nothing any more.
[[noreturn]] void throw_moved_from(const char* handle);

// What was done of an epoch before a run through the rest of it; see Checkpoint.
struct Start {
  std::int64_t position = 0;
  std::int64_t batch = 0;
  std::int64_t errors = 0;
  std::int64_t judged = 0;
  std::vector<Progress> done = {};
};

// One run through an epoch, as the engine knows it.
struct Run;

class Engine {
 public:
  // Takes a plan as it was recorded. Throws BuildError when the plan or the options make no sense.
  Engine(Plan plan, const PipelineOptions& options,
         std::vector<std::unique_ptr<ColumnMaker>> makers);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Ends what runs, and starts the given epoch.
  std::shared_ptr<Run> begin_epoch(std::int64_t epoch);
  // The next batch of a run, in order; null at its end and after cancel(). Throws Error when
  // another call has ended the run before its last batch.
  std::unique_ptr<BatchData> next(Run& run);
  // Ends the epoch: steps that run end, others never start. Returns at once.
  void cancel();
  // The same for destructors, unless another run has begun.
  void cancel(const Run& run);
  // Ends the epoch and waits until nothing runs.
  void stop();
  // The same, for destructors: throws nothing, and ends the process when it is called inside a
  // step, which it would have to wait for.
  void shut_down() noexcept;
  // Whether the calling thread is in one of the steps.
  bool is_inside_step() const noexcept;

  // Whether the batch that came last counts as taken, for checkpoints; it does. One that did not
  // reach the user, as a signal came between, does not.
  void count_last(bool counts);

  // How far the user has come, who would begin `next_epoch` next.
  Checkpoint checkpoint(std::int64_t next_epoch) const;

  // Runs one sample on the calling thread.
  Inspection inspect(const SampleKey& key) const;

  // How many an epoch has; -1 while that is not known. A child of fork() may ask, too.
  std::int64_t samples() const;
  std::int64_t batches() const;
  const PipelineOptions& options() const;
  const Plan& recorded_plan() const;
  const Plan& plan() const;
  Stats stats() const;

 private:
  struct Impl;
  Impl& at_home() const;

  HomeProcess home_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::detail
