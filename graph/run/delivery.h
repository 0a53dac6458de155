// Delivery: what becomes of complete batches in one epoch: the error policy with its budget, and
// closing the gaps that missing samples leave. Compactor: full batches of the samples that are
// left. stand_in(): the sample that takes the place of one that failed.
//
// Ownership: refers to samples only while it is called. Threads: one at a time; stand_in() any
// number, for different samples. Errors: judge() throws BudgetError, and BatchError once for a
// batch.
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

// Gives a record whose sample failed another one of the epoch, which has `total`, or of those
// before it where that is kUntilEnd: drawn by seed and key, and by how many were tried before.
// False when enough of them failed, too, or there is none.
bool stand_in(Sample& sample, std::uint64_t seed, std::int64_t total) noexcept;

class Delivery {
 public:
  explicit Delivery(const PipelineOptions& options) : options_(options) {}

  // A run begins at the position `first` of an epoch of `total` samples, of which `start` was done
  // before.
  void restart(const Start& start, std::int64_t first, std::int64_t total);
  // Fails samples whose tensors are of another type, layout or number of dimensions than those of
  // the epoch's first sample, counts the errors of the batch, and throws when the policy does not
  // let it pass. If the batch is not `made`, checks only the budget.
  void judge(BatchInMaking& batch, bool made);
  // Call it after an epoch of unknown length. Throws BudgetError if its error rate is too high.
  void judge_end() const;
  // Reads how each sample ended into the batch, finishes its columns, and gives the counts
  // (admitted is left at 0).
  Ledger settle(BatchInMaking& complete) const;

 private:
  void compare(BatchInMaking& batch);
  // Adds to the batch, the cells that are kept and the counts how each of the samples ended.
  void read_outcomes(BatchData& batch, const std::vector<Sample*>& samples,
                     std::vector<std::uint32_t>& kept, Ledger& here) const;
  bool too_often(std::int64_t errors, std::int64_t ended) const;
  [[noreturn]] void throw_budget(std::int64_t errors, std::int64_t ended, bool too_many) const;

  const PipelineOptions& options_;
  std::int64_t total_ = 0;         // of the epoch
  std::int64_t first_wanted_ = 0;  // samples before it were delivered before the run began
  std::int64_t told_ = 0;          // a BatchError was thrown for those before it
  std::vector<TensorSpec> first_;  // of the outputs of the run's first sample
  SampleKey first_key_;            // which sample that is
  std::int64_t judged_ = 0;        // samples in the batches before
  std::int64_t errors_ = 0;        // in them
  std::string last_error_;         // empty: none since the epoch began here
  std::int64_t thrown_batch_ = -1;
};

// Forms full batches of the samples of short ones, in order. Values are copied or moved once more
// for it.
//
// A batch names what is missing up to the first sample of the batch behind it, and so waits until
// that sample is known; the first batch names what is missing before it, too. Every sample stands
// in one batch then, in it or as missing, whatever becomes of the samples behind the last one that
// is left. When none is left at all, an empty batch names them. What `last_batch = drop` leaves out
// is named nowhere.
class Compactor {
 public:
  // The next short batch; null when there are no more. May call restart(), which gives up what is
  // held: next() then gives null.
  using Next = std::function<std::unique_ptr<BatchData>()>;
  // Makes an empty batch with this index.
  using Make = std::function<std::unique_ptr<BatchData>(std::int64_t index)>;

  explicit Compactor(const PipelineOptions& options) : options_(options) {}
  // The next batch has this index.
  void restart(std::int64_t index = 0);
  // Makes a batch of the rest at the end if it contains the error of this sample.
  void keep_rest_of(std::int64_t id) { kept_error_ = id; }
  // The next full batch, from as many short ones as it takes; at the end what is left, as
  // `last_batch` says.
  std::unique_ptr<BatchData> next(const Next& next, const Make& make);
  // Samples that were taken but are not in a batch yet: `delivered` and `replaced`.
  Ledger waiting() const;
  // The id of the first sample that is left of the last short batch; -1: none is.
  std::int64_t next_id() const { return used_up() ? -1 : part_->ids[used_]; }
  // Samples that `last_batch = drop` left out at the end, since the last call.
  Ledger take_left_out() { return std::exchange(left_out_, {}); }
  // Samples of batches that could not be finished, since the last call.
  Ledger take_lost() { return std::exchange(lost_, {}); }

 private:
  bool used_up() const { return part_ == nullptr || used_ == part_->ids.size(); }
  void move_sample();
  // Moves what the part says of samples before `id` to the batch that is being made.
  void move_notes(std::int64_t id);

  const PipelineOptions& options_;
  std::unique_ptr<BatchData> part_;  // a short batch
  std::size_t used_ = 0;             // of its samples
  std::unique_ptr<BatchData> making_;
  std::int64_t batches_ = 0;
  Ledger left_out_;
  Ledger lost_;
  std::int64_t kept_error_ = -1;
};

}  // namespace sluice::detail
