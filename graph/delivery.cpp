#include <sluice/graph/delivery.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace sluice {
namespace {

// A rate of few samples says nothing.
constexpr std::int64_t kRateFrom = 100;

// What went wrong with the sample itself; when stand-ins failed too, that does not matter.
const SampleError* error_of(const Frame& frame) {
  return frame.first_error() != nullptr ? frame.first_error() : frame.error();
}

}  // namespace

void Delivery::restart(std::int64_t total) {
  total_ = total;
  errors_ = 0;
  thrown_batch_ = -1;
}

void Delivery::judge(std::int64_t index, const std::vector<Frame*>& frames) {
  const OnError& policy = options_.on_error;
  std::vector<SampleError> fatal;
  const SampleError* last = nullptr;
  std::int64_t errors = errors_;
  for (const Frame* frame : frames) {
    const SampleError* error = error_of(*frame);
    if (error == nullptr) continue;
    ++errors;
    last = error;
    if (frame->failed() && policy.policy != OnError::Policy::skip) fatal.push_back(*error);
  }
  const std::int64_t samples =
      index * options_.batch_size + static_cast<std::int64_t>(frames.size());
  const bool too_many = errors > policy.max_errors;
  const bool too_often =
      samples >= std::min(kRateFrom, total_) &&
      static_cast<double>(errors) > policy.max_rate * static_cast<double>(samples);
  if (last != nullptr && (too_many || too_often)) {
    throw BudgetError(std::to_string(errors) + " of " + std::to_string(samples) +
                      " samples failed, more than " +
                      (too_many ? std::to_string(policy.max_errors) + " samples"
                                : std::to_string(policy.max_rate * 100) + " %") +
                      " allowed by on_error; the last: " + to_string(*last));
  }
  if (!fatal.empty() && thrown_batch_ != index) {
    thrown_batch_ = index;
    throw BatchError(index, std::move(fatal));
  }
  errors_ = errors;
}

Ledger Delivery::settle(BatchData& batch, const std::vector<Frame*>& frames) const {
  std::vector<std::uint32_t> kept;
  kept.reserve(frames.size());
  Ledger here;
  const bool skips = options_.on_error.policy == OnError::Policy::skip;
  for (std::size_t cell = 0; cell < frames.size(); ++cell) {
    const Frame& frame = *frames[cell];
    if (frame.ended()) {
      batch.missing.push_back(frame.id());
      if (frame.failed()) batch.errors.push_back(*error_of(frame));
      // One that neither failed nor was dropped had no memory to say why it ended.
      ++(frame.dropped() || (frame.failed() && skips) ? here.skipped : here.failed);
      continue;
    }
    if (frame.first_error() != nullptr) {
      ++here.replaced;
      batch.replaced.push_back(frame.id());
      batch.errors.push_back(*frame.first_error());
    } else {
      ++here.delivered;
    }
    kept.push_back(static_cast<std::uint32_t>(cell));
    batch.ids.push_back(frame.id());
  }
  const auto full = static_cast<std::size_t>(options_.batch_size);
  if (options_.last_batch == LastBatch::fill && !options_.compact && batch.cells < full &&
      !kept.empty()) {
    batch.padding = full - batch.cells;
  }
  for (auto& column : batch.columns) column->finish(kept, batch.padding);
  return here;
}

void Compactor::restart() {
  parts_.clear();
  making_.reset();
  batches_ = left_out_ = 0;
}

std::int64_t Compactor::waiting() const {
  std::size_t count = making_ == nullptr ? 0 : making_->ids.size();
  for (const Part& part : parts_) count += part.batch->ids.size() - part.used;
  return static_cast<std::int64_t>(count);
}

void Compactor::move_sample(Part& from, BatchData& to) {
  for (std::size_t k = 0; k < to.columns.size(); ++k) {
    from.batch->columns[k]->transfer(from.used, *to.columns[k], to.ids.size());
  }
  to.ids.push_back(from.batch->ids[from.used++]);
}

std::unique_ptr<BatchData> Compactor::next(const Next& next, const Make& make) {
  const auto full = static_cast<std::size_t>(options_.batch_size);
  if (making_ == nullptr) making_ = make(batches_);
  while (making_->ids.size() < full) {
    if (parts_.empty()) {
      Part part{next()};
      if (part.batch == nullptr) break;
      const auto append = [](auto& to, auto& from) {
        to.insert(to.end(), from.begin(), from.end());
      };
      append(making_->missing, part.batch->missing);
      append(making_->replaced, part.batch->replaced);
      append(making_->errors, part.batch->errors);
      parts_.push_back(std::move(part));
    }
    if (parts_.front().used == parts_.front().batch->ids.size()) {
      parts_.pop_front();
      continue;
    }
    move_sample(parts_.front(), *making_);
  }
  std::unique_ptr<BatchData> batch = std::move(making_);
  const std::size_t size = batch->ids.size();
  if (size < full && options_.last_batch == LastBatch::drop) {
    left_out_ += static_cast<std::int64_t>(size);
    return nullptr;
  }
  if (size == 0) return nullptr;
  if (size < full && options_.last_batch == LastBatch::fill) batch->padding = full - size;
  std::vector<std::uint32_t> all(size);
  std::iota(all.begin(), all.end(), 0u);
  for (auto& column : batch->columns) column->finish(all, batch->padding);
  ++batches_;
  return batch;
}

}  // namespace sluice
