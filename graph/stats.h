// Stats: counts of a pipeline's work so far, as plain data: how samples ended, the memory they
// used, and the branches they took. With `.profile = true`, also how often each step ran and for
// how long. to_string() and to_dot() show them as a table and as annotations of the plan.
//
// All counts except Stats::epoch and Stats::epoch_waits cover all epochs since the pipeline was
// made, including the running one so far. Threads: plain data without synchronization. Errors:
// none.
#pragma once

#include <sluice/graph/options.h>
#include <sluice/graph/plan/slot.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/memory.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sluice {

namespace detail {
struct Plan;
class Sample;
}  // namespace detail

struct MemoryStats {
  std::size_t window = 0;  // the most samples in flight
  std::size_t active = 0;  // of these, the most at work at once; others wait or have not begun
  // Bytes of pooled memory of samples at work and of batches, delivered ones included.
  std::size_t bytes_in_use = 0;
  std::size_t bytes_peak = 0;
  std::size_t bytes_reserved = 0;  // in use or kept in the pools
  std::size_t largest_sample = 0;  // most bytes allocated by all steps of one sample
  // The same for a sample that waits, or has just been read: the bytes up to that point.
  std::size_t largest_waiting = 0;
  // The bytes of the largest batch, delivered or not. If you leave an epoch early, its incomplete
  // batch counts when the next epoch begins, or after reset().
  std::size_t largest_batch = 0;
  // active * largest_sample + window * largest_waiting + batches that can have memory at once *
  // largest_batch: the most that the pipeline reserves for samples and batches like those so far.
  // This counts one batch in the user's hands. It does not count further batches that the user
  // keeps, or images and tensors inside the user's own structures.
  std::size_t bytes_bound = 0;
  std::uint64_t system_allocations = 0;
};

// Paths of parts of the plan are as in errors: "if_else:then", or empty at the top. For loops they
// also name the condition or the body: "while_loop:body/select:branch 3".
struct StepStats {
  std::string name;
  std::string path;
  std::int64_t runs = 0;      // includes runs that ended their sample
  std::int64_t total_ns = 0;  // the sum over all threads; includes the waiting of a step that waits
  detail::CounterId counter = 0;  // its number in the plan
  // The step as recorded. Passes may split one into several, whose names say the part.
  std::string recorded = {};
  double mean_ns() const;  // 0 when it never ran
};

struct BranchStats {
  std::string name;
  std::int64_t taken = 0;
  std::int64_t total_ns = 0;  // of the steps in it; 0 without `profile`
  double mean_ns() const;     // for each sample that took it
};
struct ChoiceStats {
  std::string name;
  std::string path;
  std::vector<BranchStats> branches;
  detail::CounterId counter = 0;
  std::int64_t taken() const;  // the sum over all branches
};

struct LoopStats {
  std::string name;
  std::string path;
  std::int64_t entries = 0;
  std::int64_t iterations = 0;
  std::int64_t total_ns = 0;  // of the steps of its condition and its body; 0 without `profile`
  detail::CounterId counter = 0;
  double mean_ns() const;  // for each entry
};

// The number of times a step noted one of its events, such as the path that a decoder took.
struct EventStats {
  std::string step;
  std::string path;
  std::string name;
  std::int64_t count = 0;
};

// A pipeline's work on its device, and its memory there.
struct DeviceStats {
  std::string name;                // empty: no step of the pipeline runs on a device
  BufferPoolStats memory;          // of the device
  BufferPoolStats pinned;          // pinned host memory, for copies
  std::int64_t batches = 0;        // GPU batches, each launched as a whole
  std::int64_t ahead = 0;          // of these, begun while the consumer was not waiting for a batch
  std::int64_t as_graphs = 0;      // of these, launched by one call, as a CUDA graph
  std::int64_t largest_batch = 0;  // the most samples in one
  std::int64_t samples = 0;        // samples in them; a sample counts once for each GPU batch
  std::int64_t bytes_up = 0, bytes_down = 0;  // copied there, and back
  // Samples that the device returned because it could not run a step, so the host ran it. A sample
  // that is returned twice counts twice.
  std::int64_t given_back = 0;
  // The time of the thread that polls for completed GPU batches: on a CPU, in pauses of some
  // microseconds, and asleep with nothing to poll for.
  std::int64_t asking_ns = 0, pausing_ns = 0, asleep_ns = 0;
  double mean_batch() const;  // samples in each GPU batch; 0 without any
};

// The waits between consumer and pipeline. If the consumer waits, the pipeline is too slow for it;
// if complete batches wait, the pipeline is fast enough.
struct WaitStats {
  std::int64_t consumer_ns = 0;  // next() waited for a batch
  std::int64_t batches_ns = 0;   // the next batch was complete, and next() was not called
  WaitStats& operator+=(const WaitStats& more);
};

// A source's file reads since the pipeline was made. Pipelines that share a dataset and run at once
// are counted together.
struct SourceStats {
  std::string step;
  SourceReads reads;
};

// The work of a step's worker processes since their start. Pipelines that share them are counted
// together.
struct StepWorkers {
  std::string step;
  WorkerStats stats;
};

struct Stats {
  Ledger epoch;              // of the running epoch, or the last one
  Ledger total;              // of all epochs
  std::int64_t batches = 0;  // delivered
  WaitStats epoch_waits;     // of the running epoch, or the last one
  WaitStats waits;           // of all epochs
  int threads = 0;           // threads that run steps
  int threads_asked = 0;     // more than `threads` if the system did not allow that many
  int io_threads = 0;        // additional threads that read
  MemoryStats memory;        // of the host, except pinned memory
  DeviceStats device;
  std::vector<SourceStats> sources;  // sources that count their reads
  std::vector<StepWorkers> workers;  // steps with worker processes
  // In the order of the plan.
  std::vector<StepStats> steps;  // empty without `profile`
  std::vector<ChoiceStats> choices;
  std::vector<LoopStats> loops;
  std::vector<EventStats> events;  // those that happened
};

// One line with both waits and the slower side. Making the other side faster gains nothing.
std::string to_string(const WaitStats& waits);

// The work on the device, its memory, and its polling thread: one line each.
std::string to_string(const DeviceStats& device);

// One line each for the samples, the memory, the waits, each source that reads files and each step
// with worker processes. Also one line if threads are lacking, and three about a device. Then
// tables of steps, branches and loops, unless empty. The parts into which passes have split a step
// are one row.
std::string to_string(const Stats& stats);

// The plan as text and as a drawing, annotated with the counts. `stats` must be from the pipeline
// that runs the plan.
std::string to_string(const detail::Plan& plan, const Stats& stats);
std::string to_dot(const detail::Plan& plan, const Stats& stats);

namespace detail {

// For the engine. Adds up the counts of the samples and queries the workers. May be called while
// they run.
void add_counts(Stats& stats, const Plan& plan,
                const std::vector<std::unique_ptr<Sample>>& samples);
// Returns all steps of the plan, with zero counts.
std::vector<StepStats> steps_of(const Plan& plan);
// Fills in the memory counts: the sums over the pools, and the bound that follows from the rest.
void add_memory(Stats& stats, const PipelineOptions& options,
                const std::array<BufferPoolStats, 2>& pools);
// Returns what the sources of the plan have read since `before`. Runs the user's code.
std::vector<SourceStats> reads_of(const Plan& plan, const std::vector<SourceStats>& before = {});

}  // namespace detail
}  // namespace sluice
