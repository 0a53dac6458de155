// How complete batches become the batches that the user receives.
//
// The problem: samples end in any order on many threads, and some fail or are dropped by a filter.
// But errors, budgets and the contents of batches must not depend on the threads. Each sample must
// also be counted exactly once.
//
// Example: 10 samples, batch_size 4. Sample 2 fails, and a filter drops sample 5:
//
//                   batch 0      batch 1      batch 2    missing
//     complete      0 1 x 3      4 - 6 7      8 9
//     apply_error_policy() BatchError   ok           ok
//     finalize()    0 1 3        4 6 7        8 9        2 | 5 | none
//     Compactor     0 1 3 4      6 7 8 9                 2 5 | none     (with `compact`)
//
// The engine calls this code for one batch after another, in order, when all of its samples have
// ended (next_in_order() in engine_run.cpp):
//
// 1. apply_error_policy() compares the tensors with those of the run's first sample that has not
//    ended early. A tensor that differs fails its sample. Then it counts errors in order of ids,
//    and checks the budget. So the same batch exceeds the budget on every machine. If the policy is
//    `fail`, batch 0 throws BatchError. The batch stays where it is: the next call applies the
//    policy again, does not throw, and delivers it.
// 2. finalize() reads how each sample ended. The cells that remain are `kept`; Column::finish()
//    moves them together. Without `compact`, a short last batch is padded here if last_batch is
//    `fill`.
// 3. With `compact`, Compactor::next() moves samples from short batches (`part_`) into the batch
//    being made (`making_`). In the example it takes 0 1 3 and then 4, and leaves 6 7 in `part_`.
//    It then knows the next id, 6, so it moves the notes about all samples before 6: 2 and 5.
//
// stand_in() chooses replacement samples earlier, on worker threads, when a sample fails. Attempt n
// takes draw n of a generator that only the seed and the key determine. So the result does not
// depend on the order in which samples fail.
//
// Invariants: apply_error_policy() changes errors_ and judged_ only if it does not throw, so no
// error counts twice. finalize() counts each sample once, even if the Compactor holds it
// afterwards. The Compactor reports samples that the user never receives: waiting(),
// take_left_out() and take_lost(). If all_well is set, apply_error_policy() and finalize() do not
// read each sample.
//
// Threads: no locks. Except stand_in(), this code runs on one thread at a time: the one that takes
// batches or ends the epoch. apply_error_policy(), finalize() and Compactor::next() run without the
// engine's lock, because columns move values of user types.
//
// Errors: BudgetError ends the epoch. If a column cannot be finished, the whole batch is lost. The
// error rate counts from the 100th sample on, or from the last one of a shorter epoch. If the
// length of the epoch is unknown, apply_error_policy_at_end() checks the rate of fewer samples.
//
// Read Delivery::apply_error_policy() first.
#include <sluice/graph/exec/delivery.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace sluice::detail {
namespace {

// The rate of only a few samples is not meaningful.
constexpr std::int64_t kRateFrom = 100;
// Replacement samples are tried until one succeeds, but not forever: all files may be damaged.
constexpr int kMaxStandIns = 16;
// The generator number of draws that choose a replacement sample; no generator of a graph has it.
constexpr std::uint32_t kStandInGenerator = 0xffffffffu;

// Returns the original sample's error; errors of its replacements do not matter.
const SampleError* error_of(const Sample& sample) {
  return sample.first_error() != nullptr ? sample.first_error() : sample.error();
}

// Finishes the columns. A failure costs the batch, and the error names the column.
void finish_columns(BatchData& batch, const std::vector<std::uint32_t>& kept) {
  for (std::size_t k = 0; k < batch.columns.size(); ++k) {
    const auto told = [&](const Error& e) {
      return "batch " + std::to_string(batch.index) + ", output " + std::to_string(k) + ": " +
             e.what();
    };
    try {
      batch.columns[k]->finish(kept, batch.padding);
    } catch (const DeviceError& e) {
      throw DeviceError(told(e), e.device_lost());
    } catch (const Error& e) {
      throw Error(told(e));
    }
  }
}

// Counts the samples of a batch from `from` on: the replaced ones that the batch lists, and the
// rest.
Ledger counts_of(const BatchData& batch, std::size_t from) {
  Ledger counts;
  counts.replaced = std::ssize(batch.replaced);
  counts.delivered = std::ssize(batch.ids) - static_cast<std::int64_t>(from) - counts.replaced;
  return counts;
}

}  // namespace

std::size_t BatchData::bytes() const {
  std::size_t sum = 0;
  for (const auto& column : columns) sum += column->bytes();
  return sum;
}

const BatchData& no_batch() {
  static const BatchData none;
  return none;
}

const BatchData& require_batch(const BatchData* batch) {
  if (batch != nullptr) return *batch;
  throw Error(
      "this batch is empty: it was moved from, or default-constructed; use one that a pipeline "
      "returned, or the one it was moved to");
}

bool stand_in(Sample& sample, std::uint64_t seed, std::int64_t total) noexcept {
  if (total == kUntilEnd) total = sample.first_key().index;
  if (sample.attempts() >= kMaxStandIns || total == 0) return false;
  Random draw({.seed = seed,
               .epoch = static_cast<std::uint64_t>(sample.first_key().epoch),
               .sample = static_cast<std::uint64_t>(sample.first_key().index),
               .generator = kStandInGenerator});
  std::uint64_t index = 0;
  for (int i = 0; i <= sample.attempts(); ++i)
    index = draw.below64(static_cast<std::uint64_t>(total));
  sample.stand_in(static_cast<std::int64_t>(index));
  return true;
}

void Delivery::restart(const Start& start, std::int64_t first, std::int64_t total) {
  total_ = total;
  first_wanted_ = start.position;
  told_ = std::max(start.position, start.judged);
  judged_ = first;
  errors_ = start.errors;
  last_error_.clear();
  thrown_batch_ = -1;
  first_.clear();
}

void Delivery::compare(PendingBatch& batch) {
  const auto& columns = batch.data->columns;
  const bool all_well = batch.all_well;
  for (std::size_t cell = 0; cell < batch.samples->size(); ++cell) {
    Sample& sample = *(*batch.samples)[cell];
    if (!all_well && sample.ended()) continue;
    if (first_.empty()) {
      std::vector<TensorSpec> first;
      for (const auto& column : columns) first.push_back(column->spec(cell));
      first_ = std::move(first);
      first_key_ = sample.key();
    }
    for (std::size_t k = 0; k < first_.size(); ++k) {
      const TensorSpec spec = columns[k]->spec(cell);
      if (agree(spec, first_[k])) continue;
      batch.all_well = false;
      sample.fail("output " + std::to_string(k),
                  "returned a tensor (" + to_string(spec) + "), but that of sample " +
                      std::to_string(first_key_.index) + ", the epoch's first, is (" +
                      to_string(first_[k]) +
                      "); make all agree in type, layout and number of dimensions");
      break;
    }
  }
}

bool Delivery::too_often(std::int64_t errors, std::int64_t ended) const {
  return static_cast<double>(errors) > options_.on_error.max_rate * static_cast<double>(ended);
}

void Delivery::throw_budget(std::int64_t errors, std::int64_t ended, bool too_many) const {
  const OnError& policy = options_.on_error;
  const std::string limit = too_many ? counted(policy.max_errors, "sample")
                                     : fmt::format("{:g} %", policy.max_rate * 100);
  throw BudgetError(fmt::format("{} of {} failed, more than the {} that {} allows{}", errors,
                                counted(ended, "sample"), limit,
                                too_many ? "max_errors" : "max_rate (in Python: max_error_rate)",
                                last_error_.empty() ? "" : "; the last: " + last_error_));
}

void Delivery::apply_error_policy_at_end() const {
  if (judged_ < kRateFrom && too_often(errors_, judged_)) throw_budget(errors_, judged_, false);
}

void Delivery::apply_error_policy(PendingBatch& batch, bool made) {
  compare(batch);
  const std::vector<Sample*>& samples = *batch.samples;
  const OnError& policy = options_.on_error;
  std::vector<SampleError> fatal;
  std::int64_t errors = errors_;
  for (const Sample* sample : batch.all_well ? std::span<Sample* const>() : samples) {
    const SampleError* error = error_of(*sample);
    if (error == nullptr) continue;
    ++errors;
    last_error_ = to_string(*error);
    const bool may_throw = made && policy.policy != OnError::Policy::skip && sample->id() >= told_;
    if (may_throw && sample->failed()) fatal.push_back(*error);
  }
  const std::int64_t ended = judged_ + static_cast<std::int64_t>(samples.size());
  const bool too_many = errors > policy.max_errors;
  if (too_many || (ended >= std::min(kRateFrom, total_) && too_often(errors, ended)))
    throw_budget(errors, ended, too_many);
  if (!fatal.empty() && thrown_batch_ != batch.data->index) {
    const std::string advice =
        policy.policy == OnError::Policy::fail
            ? std::string("; on_error = OnError::skip or OnError::replace continues without ") +
                  (fatal.size() == 1 ? "it" : "them")
            : std::string();
    BatchError error(batch.data->index, std::move(fatal), advice);
    thrown_batch_ = batch.data->index;
    throw BatchError(std::move(error));
  }
  errors_ = errors;
  judged_ = ended;
}

Ledger Delivery::finalize(PendingBatch& complete) const {
  BatchData& batch = *complete.data;
  const std::vector<Sample*>& samples = *complete.samples;
  const std::size_t size = samples.size();
  std::vector<std::uint32_t> kept;
  kept.reserve(size);
  batch.ids.reserve(size);
  Ledger here;
  if (complete.all_well) {
    kept.resize(size);
    std::iota(kept.begin(), kept.end(), 0u);
    batch.ids.resize(size);
    std::iota(batch.ids.begin(), batch.ids.end(), samples.front()->id());
    batch.keys.resize(size);
    here.delivered = std::ssize(samples);
  } else {
    batch.keys.clear();
    read_outcomes(batch, samples, kept, here);
  }
  const auto full = static_cast<std::size_t>(options_.batch_size);
  if (options_.last_batch == LastBatch::fill && !options_.compact && batch.cells < full &&
      !kept.empty()) {
    batch.padding = full - batch.cells;
  }
  finish_columns(batch, kept);
  return here;
}

void Delivery::read_outcomes(BatchData& batch, const std::vector<Sample*>& samples,
                             std::vector<std::uint32_t>& kept, Ledger& here) const {
  const bool skips = options_.on_error.policy == OnError::Policy::skip;
  for (std::size_t cell = 0; cell < samples.size(); ++cell) {
    const Sample& sample = *samples[cell];
    if (sample.id() < first_wanted_) continue;
    if (sample.ended()) {
      batch.missing.push_back(sample.id());
      // Applies also if a filter dropped the replacement sample.
      if (const SampleError* error = error_of(sample)) batch.errors.push_back(*error);
      ++(sample.dropped() ? here.filtered : sample.failed() && skips ? here.skipped : here.failed);
      continue;
    }
    if (sample.first_error() != nullptr) {
      ++here.replaced;
      batch.replaced.push_back(sample.id());
      batch.errors.push_back(*sample.first_error());
    } else {
      ++here.delivered;
    }
    for (const SampleError& warning : sample.warnings()) batch.warnings.push_back(warning);
    kept.push_back(static_cast<std::uint32_t>(cell));
    batch.ids.push_back(sample.id());
    batch.keys.push_back(sample.key());
  }
}

void Compactor::restart(std::int64_t index) {
  part_.reset();
  making_.reset();
  used_ = 0;
  batches_ = index;
  left_out_ = lost_ = {};
  kept_error_ = -1;
}

Ledger Compactor::waiting() const {
  // A delivered batch has taken its own notes with it.
  Ledger counts;
  if (making_ != nullptr) counts += counts_of(*making_, 0);
  if (part_ != nullptr) counts += counts_of(*part_, used_);
  return counts;
}

std::size_t Compactor::largest_bytes() const {
  return std::max(making_ != nullptr ? making_->bytes() : 0, part_ != nullptr ? part_->bytes() : 0);
}

void Compactor::move_sample() {
  for (std::size_t k = 0; k < making_->columns.size(); ++k) {
    part_->columns[k]->transfer(used_, *making_->columns[k], making_->ids.size());
  }
  making_->ids.push_back(part_->ids[used_]);
  making_->keys.push_back(part_->keys[used_++]);
}

void Compactor::move_notes(std::int64_t id) {
  const auto move = [](auto& from, auto& to, const auto& is_before) {
    const auto end = std::partition_point(from.begin(), from.end(), is_before);
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(end));
    from.erase(from.begin(), end);
  };
  const auto before = [id](std::int64_t other) { return other < id; };
  move(part_->missing, making_->missing, before);
  move(part_->replaced, making_->replaced, before);
  move(part_->warnings, making_->warnings,
       [id](const SampleError& warning) { return warning.id < id; });
  move(part_->errors, making_->errors, [id](const SampleError& error) { return error.id < id; });
}

std::unique_ptr<BatchData> Compactor::next(const Next& next, const Make& make) {
  const auto full = static_cast<std::size_t>(options_.batch_size);
  if (making_ == nullptr) making_ = make(batches_);
  while (used_up() || making_->ids.size() < full) {
    if (!used_up()) {
      move_sample();
      continue;
    }
    if (part_ != nullptr) move_notes(std::numeric_limits<std::int64_t>::max());
    part_.reset();
    used_ = 0;
    part_ = next();
    if (part_ == nullptr) break;
  }
  if (part_ != nullptr) move_notes(part_->ids[used_]);
  std::unique_ptr<BatchData> batch = std::move(making_);
  if (batch == nullptr) return nullptr;
  const std::size_t size = batch->ids.size();
  const auto is_kept = [this](const SampleError& error) { return error.id == kept_error_; };
  if (size < full && options_.last_batch == LastBatch::drop &&
      std::none_of(batch->errors.begin(), batch->errors.end(), is_kept)) {
    left_out_ += counts_of(*batch, 0);
    return nullptr;
  }
  if (size == 0 && batch->missing.empty()) return nullptr;
  if (0 < size && size < full && options_.last_batch == LastBatch::fill) {
    batch->padding = full - size;
  }
  std::vector<std::uint32_t> all(size);
  std::iota(all.begin(), all.end(), 0u);
  ++batches_;
  try {
    finish_columns(*batch, all);
  } catch (...) {
    lost_ += counts_of(*batch, 0);
    throw;
  }
  return batch;
}

void PendingBatches::restart(const Run& run) {
  first_ = next_position_ = 0;
  run_ = run;
  end_ = run.total;
}

std::int64_t PendingBatches::count_wanted(const std::vector<Sample*>& samples) const {
  return std::count_if(samples.begin(), samples.end(),
                       [&](const Sample* sample) { return wants(*sample); });
}

void PendingBatches::shorten(std::int64_t total) { end_ = std::min(end_, total); }

bool PendingBatches::admit(Sample& sample) {
  const bool at_batch = next_position_ % options_.batch_size == 0;
  if (next_position_ >= run_.total || (next_position_ >= end_ && at_batch)) return false;
  const std::int64_t index = next_position_ / options_.batch_size;
  if (index >= first_ + static_cast<std::int64_t>(batches_.size())) {
    const std::int64_t left = run_.total - index * options_.batch_size;
    auto batch = std::make_unique<PendingBatch>();
    batch->data =
        make_bare(run_.first_batch + index,
                  static_cast<std::size_t>(std::min<std::int64_t>(options_.batch_size, left)));
    batch->data->keys.resize(batch->data->cells);
    batches_.push_back(std::move(batch));
  }
  const std::int64_t position = next_position_++;
  sample.begin({run_.epoch, run_.first_id + position}, position, options_.seed,
               options_.batch_size);
  if (position >= end_ || !wants(sample)) sample.cancel();
  sample.batch = batches_[static_cast<std::size_t>(index - first_)].get();
  return true;
}

std::int64_t PendingBatches::complete(std::int64_t index, const std::vector<Sample*>& samples) {
  PendingBatch& batch = *batches_[static_cast<std::size_t>(index - first_)];
  batch.samples = &samples;
  batch.completed = std::chrono::steady_clock::now();
  const auto size = static_cast<std::int64_t>(samples.size());
  const std::int64_t left = end_ - index * options_.batch_size;
  // A batch entirely beyond the end is never used.
  if (left <= 0 || left >= size) return 0;
  batch.before_end.assign(samples.begin(), samples.begin() + left);
  batch.samples = &batch.before_end;
  batch.data->cells = static_cast<std::size_t>(left);
  return size - left;
}

PendingBatch* PendingBatches::complete_front() const {
  const bool complete = !batches_.empty() && batches_.front()->samples != nullptr;
  return complete ? batches_.front().get() : nullptr;
}

std::int64_t PendingBatches::complete_batches() const {
  return std::count_if(batches_.begin(), batches_.end(),
                       [](const auto& batch) { return batch->samples != nullptr; });
}

PendingBatch* PendingBatches::complete_and_all_well(std::size_t i) const {
  if (i >= batches_.size()) return nullptr;
  PendingBatch& batch = *batches_[i];
  return batch.samples != nullptr && batch.all_well ? &batch : nullptr;
}

std::unique_ptr<PendingBatch> PendingBatches::take_front() {
  if (batches_.empty()) return nullptr;
  std::unique_ptr<PendingBatch> batch = std::move(batches_.front());
  batches_.pop_front();
  ++first_;
  return batch;
}

void PendingBatches::begin(Sample& sample) {
  PendingBatch& batch = *sample.batch;
  if (!batch.has_columns.load(std::memory_order_acquire)) {
    const std::lock_guard lock(batch.mutex);
    if (!batch.has_columns.load(std::memory_order_relaxed)) {
      // With `compact`, values move on to other batches.
      make_columns(*batch.data, !options_.compact);
    }
    batch.has_columns.store(true, std::memory_order_release);
  }
  const auto cell = static_cast<std::size_t>(sample.position() % options_.batch_size);
  batch.data->keys[cell] = sample.key();
  for (std::size_t k = 0; k < sample.placers.size(); ++k) {
    sample.placers[k].column = batch.data->columns[k].get();
    sample.placers[k].cell = cell;
  }
}

std::unique_ptr<BatchData> PendingBatches::make(std::int64_t index, std::size_t cells) const {
  auto batch = make_bare(index, cells);
  make_columns(*batch, true);
  return batch;
}

std::unique_ptr<BatchData> PendingBatches::make_bare(std::int64_t index, std::size_t cells) const {
  auto batch = std::make_unique<BatchData>();
  batch->index = index;
  batch->epoch = run_.epoch;
  batch->cells = cells;
  return batch;
}

void PendingBatches::make_columns(BatchData& batch, bool for_user) const {
  const std::size_t room = options_.last_batch == LastBatch::fill
                               ? static_cast<std::size_t>(options_.batch_size)
                               : batch.cells;
  std::vector<std::unique_ptr<Column>> columns;
  for (std::size_t k = 0; k < makers_.size(); ++k) {
    ColumnMemory memory = memory_[k];
    if (!for_user) {
      memory.given = nullptr;
      memory.deliver_to = nullptr;
    }
    columns.push_back(makers_[k]->make(room, memory));
  }
  batch.columns = std::move(columns);
}

}  // namespace sluice::detail
