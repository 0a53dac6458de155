// BatchesInMaking: the unfinished batches of a run, from the admission of a batch's first sample
// until the batch is taken. Assigns each sample its key, its position in the epoch and its place in
// its batch.
//
// Ownership: owns the batches. Refers to options, makers and memory of the engine, which owns this.
// Threads: guarded by the engine's lock, except begin() and make(). These run constructors of the
// user's types and are called without the lock; begin() from any number of threads for different
// samples. Errors: std::bad_alloc, and exceptions from those constructors.
#pragma once

#include <sluice/graph/run/engine.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace sluice::detail {

struct BatchInMaking {
  std::unique_ptr<BatchData> data;
  std::mutex mutex;  // guards the creation of the columns
  std::atomic<bool> has_columns{false};
  // All samples that have ended so far succeeded, without warnings and without replacements. The
  // consumer then need not touch them, so they stay in the caches of the worker threads.
  std::atomic<bool> all_well{true};
  const std::vector<Sample*>* samples = nullptr;  // set when complete; owned by the executor, or:
  std::vector<Sample*> before_end;                // the samples before the end of the run
  std::chrono::steady_clock::time_point completed;
};

class BatchesInMaking {
 public:
  using Makers = std::vector<std::unique_ptr<ColumnMaker>>;

  // `memory`: one for each output.
  BatchesInMaking(const PipelineOptions& options, const Makers& makers,
                  const std::vector<ColumnMemory>& memory)
      : options_(options), makers_(makers), memory_(memory) {}

  // Begins a new run of at most `total` samples. Its first sample and first batch have these
  // numbers. Samples before the id `first_wanted` were delivered before the run began: they keep
  // their places in the first batch, and run no steps. All batches of the previous run must have
  // been taken.
  struct Run {
    std::int64_t epoch = 0;
    std::int64_t first_id = 0;
    std::int64_t first_wanted = 0;
    std::int64_t first_batch = 0;
    std::int64_t total = 0;
  };
  void restart(const Run& run);
  // Shortens the run to `total` samples, once that is known. Samples beyond it may have been
  // admitted. The last batch is completed with other samples that have ended.
  void shorten(std::int64_t total);
  // True if the sample was not delivered before the run began.
  bool wants(const Sample& sample) const { return sample.id() >= run_.first_wanted; }
  // The number of these samples that wants() accepts.
  std::int64_t count_wanted(const std::vector<Sample*>& samples) const;
  // The number of the run's first batch.
  std::int64_t first_batch() const { return run_.first_batch; }
  // Assigns the next sample to `sample`; returns false if there is none.
  bool admit(Sample& sample);
  // Called when all samples of a batch have ended. Returns how many of them are beyond the end of
  // the run, and so not in the batch.
  std::int64_t complete(std::int64_t index, const std::vector<Sample*>& samples);
  // The first batch if it is complete, else null. It stays until it is taken.
  BatchInMaking* complete_front() const;
  // The number of complete batches.
  std::int64_t complete_batches() const;
  // Takes the first batch, complete or not; null if there is none.
  std::unique_ptr<BatchInMaking> take_front();

  // Call after admit(). Sets where the sample's values go. The first sample of a batch makes the
  // batch's columns.
  void begin(Sample& sample);
  // Makes another batch, with columns for `cells` samples, for direct delivery to the user.
  std::unique_ptr<BatchData> make(std::int64_t index, std::size_t cells) const;

 private:
  std::unique_ptr<BatchData> make_bare(std::int64_t index, std::size_t cells) const;
  // `for_user`: the values go to the memory that the user provided, if any.
  void make_columns(BatchData& batch, bool for_user) const;

  const PipelineOptions& options_;
  const Makers& makers_;
  const std::vector<ColumnMemory>& memory_;
  Run run_;
  std::int64_t end_ = 0;                                // of this run, as far as known
  std::deque<std::unique_ptr<BatchInMaking>> batches_;  // first_, first_ + 1, ...
  std::int64_t first_ = 0;
  std::int64_t next_position_ = 0;
};

}  // namespace sluice::detail
