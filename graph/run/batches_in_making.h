// BatchesInMaking: the batches of a run of which samples are under way, from the first sample's
// admission until the batch is taken. Gives each sample its key, its position in the epoch and its
// place in its batch.
//
// Ownership: owns the batches; refers to options, makers and memory of the engine, whose part it
// is. Threads: the engine's lock guards it, but for begin() and make(), which run the constructors
// of the user's types and are called without the lock; begin() from any number of threads for
// different samples. Errors: std::bad_alloc, and what those constructors throw.
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
  std::mutex mutex;  // guards the making of the columns
  std::atomic<bool> has_columns{false};
  // All samples that have ended so far succeeded, without a warning and without a replacement. The
  // consumer then need not touch them, so they stay in the caches of the worker threads.
  std::atomic<bool> all_well{true};
  const std::vector<Sample*>* samples = nullptr;  // once it is complete; the executor's, or:
  std::vector<Sample*> before_end;                // those before the end of the run
  std::chrono::steady_clock::time_point completed;
};

class BatchesInMaking {
 public:
  using Makers = std::vector<std::unique_ptr<ColumnMaker>>;

  // `memory`: of each output.
  BatchesInMaking(const PipelineOptions& options, const Makers& makers,
                  const std::vector<ColumnMemory>& memory)
      : options_(options), makers_(makers), memory_(memory) {}

  // A new run begins, of `total` samples at most; the first of them, and its batch, have these
  // numbers. Samples before the id `first_wanted` were delivered before the run began: they have
  // their places in the first batch, and run no steps. All batches of the run before must have been
  // taken.
  struct Run {
    std::int64_t epoch = 0;
    std::int64_t first_id = 0;
    std::int64_t first_wanted = 0;
    std::int64_t first_batch = 0;
    std::int64_t total = 0;
  };
  void restart(const Run& run);
  // The run has only so many samples, as is known now; those behind have been admitted perhaps. Its
  // last batch is filled up with others that have ended.
  void shorten(std::int64_t total);
  // True if the sample was not delivered before the run began.
  bool wants(const Sample& sample) const { return sample.id() >= run_.first_wanted; }
  // Counts these among the samples.
  std::int64_t count_wanted(const std::vector<Sample*>& samples) const;
  // The number of the run's first batch.
  std::int64_t first_batch() const { return run_.first_batch; }
  // Makes the record carry the next sample; false when there is none.
  bool admit(Sample& sample);
  // All samples of a batch have ended. Gives how many of them lie behind the end of the run, and
  // are not in the batch.
  std::int64_t complete(std::int64_t index, const std::vector<Sample*>& samples);
  // The first batch, if it is complete; else null. It stays until it is taken.
  BatchInMaking* complete_front() const;
  // How many are complete.
  std::int64_t complete_batches() const;
  // The first batch, complete or not; null when there is none.
  std::unique_ptr<BatchInMaking> take_front();

  // After admit(): tells the sample where its values go. The first sample of a batch makes the
  // batch's columns.
  void begin(Sample& sample);
  // Another batch, with columns for so many samples, for the user as it is.
  std::unique_ptr<BatchData> make(std::int64_t index, std::size_t cells) const;

 private:
  std::unique_ptr<BatchData> make_bare(std::int64_t index, std::size_t cells) const;
  // `for_user`: the values go to the user's memory, where he gave any.
  void make_columns(BatchData& batch, bool for_user) const;

  const PipelineOptions& options_;
  const Makers& makers_;
  const std::vector<ColumnMemory>& memory_;
  Run run_;
  std::int64_t end_ = 0;                                // of this run, as far as is known
  std::deque<std::unique_ptr<BatchInMaking>> batches_;  // first_, first_ + 1, ...
  std::int64_t first_ = 0;
  std::int64_t next_position_ = 0;
};

}  // namespace sluice::detail
