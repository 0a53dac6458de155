// How samples become batches. PendingBatches holds the unfinished batches, Delivery checks and
// finishes the complete ones, and Compactor forms full batches from short ones. Internal to the
// engine. delivery.cpp opens with a page on how they work together.
#pragma once

#include <sluice/graph/exec/engine.h>
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/options.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sluice::detail {

// PendingBatches: the unfinished batches of a run, from the admission of a batch's first sample
// until the batch is taken. Assigns each sample its key, its position in the epoch and its place in
// its batch.
//
// Ownership: owns the batches. Refers to options, makers and memory of the engine, which owns this.
// Threads: guarded by the engine's lock, except begin() and make(). These run constructors of the
// user's types and are called without the lock; begin() from any number of threads for different
// samples. Errors: std::bad_alloc, and exceptions from those constructors.

struct PendingBatch {
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

class PendingBatches {
 public:
  using Makers = std::vector<std::unique_ptr<ColumnMaker>>;

  // `memory`: one for each output.
  PendingBatches(const PipelineOptions& options, const Makers& makers,
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
  PendingBatch* complete_front() const;
  // The number of complete batches.
  std::int64_t complete_batches() const;
  // Returns batch `i` from the front if it is complete and all its samples succeeded, else null. It
  // stays until it is taken.
  PendingBatch* complete_and_all_well(std::size_t i) const;
  // Takes the first batch, complete or not; null if there is none.
  std::unique_ptr<PendingBatch> take_front();

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
  std::int64_t end_ = 0;                               // of this run, as far as known
  std::deque<std::unique_ptr<PendingBatch>> batches_;  // first_, first_ + 1, ...
  std::int64_t first_ = 0;
  std::int64_t next_position_ = 0;
};

// Delivery: checks and finishes the complete batches of one epoch: applies the error policy and its
// budget, and closes the gaps of missing samples. Compactor: forms full batches from the remaining
// samples. stand_in(): selects a replacement for a failed sample.
//
// Ownership: refers to samples only during a call. Threads: one at a time; stand_in() any number,
// for different samples. Errors: apply_error_policy() throws BudgetError, and BatchError once for
// each batch.

// Assigns a replacement sample to a failed `sample`. Its index is drawn uniformly from the first
// `total` of the dataset, or from those below the failed sample's if `total` is kUntilEnd. With a
// sampler, `total` is the whole dataset: the draw ignores shard, subset and weights. It may hit the
// failed sample again, which counts as an attempt. It depends on the seed, the key and the number
// of earlier attempts. Returns false after 16 attempts, or if there is no index to draw.
bool stand_in(Sample& sample, std::uint64_t seed, std::int64_t total) noexcept;

class Delivery {
 public:
  explicit Delivery(const PipelineOptions& options) : options_(options) {}

  // Begins a run at position `first` of an epoch of `total` samples, of which `start` was done
  // before.
  void restart(const Start& start, std::int64_t first, std::int64_t total);
  // Fails samples whose tensors differ from those of the epoch's first sample in type, layout or
  // number of dimensions. Counts the errors of the batch, and throws if the policy does not allow
  // them. If `made` is false, checks only the budget.
  void apply_error_policy(PendingBatch& batch, bool made);
  // Call it after an epoch of unknown length. Throws BudgetError if its error rate is too high.
  void apply_error_policy_at_end() const;
  // Records in the batch how each sample ended, finishes its columns, and returns the counts
  // (`admitted` stays 0).
  Ledger finalize(PendingBatch& complete) const;

 private:
  void compare(PendingBatch& batch);
  // Records how each sample ended: in the batch, the list of kept cells and the counts.
  void read_outcomes(BatchData& batch, const std::vector<Sample*>& samples,
                     std::vector<std::uint32_t>& kept, Ledger& here) const;
  bool too_often(std::int64_t errors, std::int64_t ended) const;
  [[noreturn]] void throw_budget(std::int64_t errors, std::int64_t ended, bool too_many) const;

  const PipelineOptions& options_;
  std::int64_t total_ = 0;         // of the epoch
  std::int64_t first_wanted_ = 0;  // samples before it were delivered before the run began
  std::int64_t told_ = 0;          // a BatchError was thrown for samples before it
  std::vector<TensorSpec> first_;  // of the outputs of the run's first sample
  SampleKey first_key_;            // the key of that sample
  std::int64_t judged_ = 0;        // samples in the previous batches
  std::int64_t errors_ = 0;        // errors among them
  std::string last_error_;         // empty: none since the epoch began here
  std::int64_t thrown_batch_ = -1;
};

// Forms full batches from short ones, in order. This costs one more copy or move of each value.
//
// A batch lists the missing samples up to the first sample of the next batch, so it waits until
// that sample is known. The first batch also lists the missing samples before it. So every sample
// is in one batch, present or missing, even those after the last remaining sample. If no sample
// remains, an empty batch lists them all. Samples left out by `last_batch = drop` are not listed.
class Compactor {
 public:
  // Returns the next short batch; null if there are no more. It may call restart(), which discards
  // the held samples; next() then returns null.
  using Next = std::function<std::unique_ptr<BatchData>()>;
  // Makes an empty batch with this index.
  using Make = std::function<std::unique_ptr<BatchData>(std::int64_t index)>;

  explicit Compactor(const PipelineOptions& options) : options_(options) {}
  // Starts again; the next batch has this index.
  void restart(std::int64_t index = 0);
  // Makes a batch of the rest at the end if it contains the error of this sample.
  void keep_rest_of(std::int64_t id) { kept_error_ = id; }
  // Returns the next full batch, from as many short ones as needed. At the end, treats the rest
  // according to `last_batch`.
  std::unique_ptr<BatchData> next(const Next& next, const Make& make);
  // Counts samples that were taken but are not in a batch yet, as `delivered` and `replaced`.
  Ledger waiting() const;
  // The id of the first unused sample of the last short batch; -1 if there is none.
  std::int64_t next_id() const { return used_up() ? -1 : part_->ids[used_]; }
  // The bytes of the larger one of the batches that it holds; 0 if there is none.
  std::size_t largest_bytes() const;
  // Counts samples that `last_batch = drop` left out at the end, since the last call.
  Ledger take_left_out() { return std::exchange(left_out_, {}); }
  // Counts samples of batches that could not be finished, since the last call.
  Ledger take_lost() { return std::exchange(lost_, {}); }

 private:
  bool used_up() const { return part_ == nullptr || used_ == part_->ids.size(); }
  void move_sample();
  // Moves the part's notes about samples before `id` to the batch being made.
  void move_notes(std::int64_t id);

  const PipelineOptions& options_;
  std::unique_ptr<BatchData> part_;  // a short batch
  std::size_t used_ = 0;             // samples of `part_` that were used
  std::unique_ptr<BatchData> making_;
  std::int64_t batches_ = 0;
  Ledger left_out_;
  Ledger lost_;
  std::int64_t kept_error_ = -1;
};

}  // namespace sluice::detail
