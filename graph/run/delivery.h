// Delivery: checks and finishes the complete batches of one epoch: applies the error policy and its
// budget, and closes the gaps of missing samples. Compactor: forms full batches from the remaining
// samples. stand_in(): selects a replacement for a failed sample.
//
// Ownership: refers to samples only during a call. Threads: one at a time; stand_in() any number,
// for different samples. Errors: judge() throws BudgetError, and BatchError once for each batch.
#pragma once

#include <sluice/graph/options.h>
#include <sluice/graph/run/batches_in_making.h>
#include <sluice/graph/run/engine.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sluice::detail {

// Assigns another sample of the epoch to a failed `sample`. It is drawn from `total` samples, or
// from those before the failed one if `total` is kUntilEnd. The draw depends on the seed, the key
// and the number of earlier attempts. Returns false if there were too many attempts, or if there is
// no other sample.
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
  void judge(BatchInMaking& batch, bool made);
  // Call it after an epoch of unknown length. Throws BudgetError if its error rate is too high.
  void judge_end() const;
  // Records in the batch how each sample ended, finishes its columns, and returns the counts
  // (`admitted` stays 0).
  Ledger settle(BatchInMaking& complete) const;

 private:
  void compare(BatchInMaking& batch);
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
