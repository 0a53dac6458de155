// Delivery: what becomes of complete batches in one epoch: the error policy with its budget, and
// closing the gaps that missing samples leave. Compactor: full batches of the samples that are
// left. stand_in(): the sample that takes the place of one that failed.
//
// Ownership: refers to samples only while it is called. Threads: one at a time; stand_in() any
// number, for different samples. Errors: judge() throws BudgetError, and BatchError once for a
// batch.
#pragma once

#include <sluice/graph/options.h>
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

  // A run begins through `total` samples of an epoch of which `start` was done before.
  void restart(const Start& start, std::int64_t total);
  // Fails samples whose tensors are of another type, layout or number of dimensions than those of
  // the epoch's first sample, counts the errors of the batch, and throws when the policy does not
  // let it pass.
  void judge(const BatchData& batch, const std::vector<Sample*>& samples);
  // Reads how each sample ended into the batch, finishes its columns, and gives the counts
  // (admitted is left at 0).
  Ledger settle(BatchData& batch, const std::vector<Sample*>& samples) const;

 private:
  void compare(const BatchData& batch, const std::vector<Sample*>& samples);

  const PipelineOptions& options_;
  std::int64_t total_ = 0;         // of the epoch
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
  // Whether what is left at the end is made a batch in any case.
  void keep_rest(bool keeps) { keeps_rest_ = keeps; }
  // The next full batch, from as many short ones as it takes; at the end what is left, as
  // `last_batch` says.
  std::unique_ptr<BatchData> next(const Next& next, const Make& make);
  // Samples that were taken but are not in a batch yet.
  std::int64_t waiting() const;
  // The id of the first sample that is left of the last short batch; -1: none is.
  std::int64_t next_id() const { return used_up() ? -1 : part_->ids[used_]; }
  // Samples that `last_batch = drop` left out at the end.
  std::int64_t left_out() const { return left_out_; }
  // Samples of batches that could not be finished, since the last call.
  std::int64_t take_lost() { return std::exchange(lost_, 0); }

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
  std::int64_t left_out_ = 0;
  std::int64_t lost_ = 0;
  bool keeps_rest_ = false;
};

}  // namespace sluice::detail
