// Stats: what a pipeline has done so far, as plain data: how samples ended, what memory they took,
// which arms they went into, and, if the pipeline was made with `.profile = true`, how often each
// step ran and for how long. As a table, and as notes on the plan.
//
// All counts are of all epochs since the pipeline was made, but for Stats::epoch; of an epoch that
// runs, they are those so far. Threads: like any data. No errors.
#pragma once

#include <sluice/graph/options.h>
#include <sluice/graph/plan/sample.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/runtime/buffer_pool.h>
#include <sluice/runtime/error.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sluice {

struct MemoryStats {
  std::size_t window = 0;  // samples that may be under way
  std::size_t active = 0;  // of which at work at once; the others wait, or have not begun
  std::size_t bytes_in_use =
      0;  // pooled memory of samples at work and of batches, delivered ones included
  std::size_t bytes_peak = 0;
  std::size_t bytes_reserved = 0;  // in use or waiting in the pools
  std::size_t largest_sample = 0;  // most bytes that one sample's steps have taken, all together
  // The same of one that waits, or has just been read: up to there.
  std::size_t largest_waiting = 0;
  std::size_t largest_batch = 0;  // most bytes of one batch
  // active * largest_sample + window * largest_waiting + batches that can have memory at once *
  // largest_batch: what the pipeline reserves at most for samples and batches like those that it
  // has seen. One batch in the user's hands is counted. More that the user keeps are not, nor are
  // pictures and tensors inside structures of the user's own.
  std::size_t bytes_bound = 0;
  std::uint64_t system_allocations = 0;
};

// Where a part of the plan stands is told as in errors, but for loops, of which it is said whether
// it is the condition or the body: "if_else:then" or "while_loop:body/select:arm 3"; empty at the
// top.
struct StepStats {
  std::string name;
  std::string path;
  std::int64_t runs = 0;          // those in which the sample ended count, too
  std::int64_t total_ns = 0;      // of all threads together; of one that waits, the waiting, too
  detail::CounterId counter = 0;  // as the plan numbers it
  double mean_ns() const;         // 0 when it never ran
};

struct ArmStats {
  std::string name;
  std::int64_t taken = 0;
  std::int64_t total_ns = 0;  // of the steps in it; 0 without `profile`
  double mean_ns() const;     // of a sample that took it
};
struct BranchStats {
  std::string name;
  std::string path;
  std::vector<ArmStats> arms;
  detail::CounterId counter = 0;
  std::int64_t taken() const;  // of all arms
};

struct LoopStats {
  std::string name;
  std::string path;
  std::int64_t entries = 0;
  std::int64_t iterations = 0;
  std::int64_t total_ns = 0;  // of the steps of its condition and its body; 0 without `profile`
  detail::CounterId counter = 0;
  double mean_ns() const;  // of an entry
};

// How often a step noted one of its events: of a decoder, which way it took.
struct EventStats {
  std::string step;
  std::string path;
  std::string name;
  std::int64_t count = 0;
};

// What a pipeline has done on its device, and what it has of its memory.
struct DeviceStats {
  std::string name;                           // empty: no step of the pipeline runs on one
  BufferPoolStats memory;                     // of the device's own
  BufferPoolStats pinned;                     // of the host, for copies
  std::int64_t gathers = 0;                   // each of which went there in one go
  std::int64_t as_graphs = 0;                 // of these, begun by one call, as a CUDA graph
  std::int64_t samples = 0;                   // in them; one that goes there twice counts twice
  std::int64_t bytes_up = 0, bytes_down = 0;  // copied there, and back
  // Samples for which the device found that it could not do a step, so that the host has done that
  // one; one that comes back twice counts twice.
  std::int64_t given_back = 0;
  // How the thread that asks whether gathers are over has spent its time: on a CPU, in pauses of
  // some microseconds, and while there was nothing to ask for.
  std::int64_t asking_ns = 0, pausing_ns = 0, asleep_ns = 0;
  double mean_gather() const;  // samples; 0 when there was none
};

// Who waits for whom: a pipeline whose consumer waits is too slow for it, one whose batches wait is
// fast enough.
struct WaitStats {
  std::int64_t consumer_ns = 0;  // next() waited for a batch
  std::int64_t batches_ns = 0;   // the next batch was complete, and next() was not called
  WaitStats& operator+=(const WaitStats& more);
};

// What a source has read of files since the pipeline was made. Pipelines that share a dataset, and
// run at once, are counted together.
struct SourceStats {
  std::string step;
  SourceReads reads;
};

// What the worker processes of a step have done since they were started. Pipelines that share them
// are counted together.
struct StepWorkers {
  std::string step;
  WorkerStats stats;
};

struct Stats {
  Ledger epoch;              // of the epoch that runs, or ran last
  Ledger total;              // of all epochs
  std::int64_t batches = 0;  // delivered
  WaitStats epoch_waits;     // of the epoch that runs, or ran last
  WaitStats waits;           // of all epochs
  int threads = 0;           // that run steps
  int threads_asked = 0;     // more than `threads` where the system did not let so many be made
  int io_threads = 0;        // that read, beside them
  MemoryStats memory;        // of the host's, but for what is pinned
  DeviceStats device;
  std::vector<SourceStats> sources;  // those that count what they read
  std::vector<StepWorkers> workers;  // of the steps that have some
  // In the order of the plan.
  std::vector<StepStats> steps;  // empty without `profile`
  std::vector<BranchStats> branches;
  std::vector<LoopStats> loops;
  std::vector<EventStats> events;  // those that happened
};

// One line: how long each side waited, and which is the slower one, so that making the other faster
// gains nothing.
std::string to_string(const WaitStats& waits);

// What was done on the device, its memory, and the thread that asks it: in a line each.
std::string to_string(const DeviceStats& device);

// The samples, the memory and the waits in a line each, one for each source that reads files and
// for each step that has worker processes, one when threads are lacking, and three about the device
// where there is one; then tables of steps, arms and loops, as far as there are any.
std::string to_string(const Stats& stats);

// The plan as text and as a drawing, with what was counted of its parts. `stats` are of the
// pipeline that runs the plan.
std::string to_string(const detail::Plan& plan, const Stats& stats);
std::string to_dot(const detail::Plan& plan, const Stats& stats);

namespace detail {

// For the engine. Adds up what the records have counted, and asks workers; may be called while they
// run.
void add_counts(Stats& stats, const Plan& plan,
                const std::vector<std::unique_ptr<Sample>>& samples);
// All steps of the plan, with nothing counted.
std::vector<StepStats> steps_of(const Plan& plan);
// The same for memory: what the pools say together, and the bound that follows from the rest.
void add_memory(Stats& stats, const PipelineOptions& options,
                const std::array<BufferPoolStats, 2>& pools);
// What the sources of the plan have read since `before`. Runs the user's code.
std::vector<SourceStats> reads_of(const Plan& plan, const std::vector<SourceStats>& before = {});

}  // namespace detail
}  // namespace sluice
