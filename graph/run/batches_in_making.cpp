#include <sluice/graph/run/batches_in_making.h>

#include <algorithm>
#include <utility>

namespace sluice::detail {

void BatchesInMaking::restart(const Run& run) {
  first_ = next_position_ = 0;
  run_ = run;
  end_ = run.total;
}

std::int64_t BatchesInMaking::count_wanted(const std::vector<Sample*>& samples) const {
  return std::count_if(samples.begin(), samples.end(),
                       [&](const Sample* sample) { return wants(*sample); });
}

void BatchesInMaking::shorten(std::int64_t total) { end_ = std::min(end_, total); }

bool BatchesInMaking::admit(Sample& sample) {
  const bool at_batch = next_position_ % options_.batch_size == 0;
  if (next_position_ >= run_.total || (next_position_ >= end_ && at_batch)) return false;
  const std::int64_t index = next_position_ / options_.batch_size;
  if (index >= first_ + static_cast<std::int64_t>(batches_.size())) {
    const std::int64_t left = run_.total - index * options_.batch_size;
    auto batch = std::make_unique<BatchInMaking>();
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

std::int64_t BatchesInMaking::complete(std::int64_t index, const std::vector<Sample*>& samples) {
  BatchInMaking& batch = *batches_[static_cast<std::size_t>(index - first_)];
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

BatchInMaking* BatchesInMaking::complete_front() const {
  const bool complete = !batches_.empty() && batches_.front()->samples != nullptr;
  return complete ? batches_.front().get() : nullptr;
}

std::int64_t BatchesInMaking::complete_batches() const {
  return std::count_if(batches_.begin(), batches_.end(),
                       [](const auto& batch) { return batch->samples != nullptr; });
}

std::unique_ptr<BatchInMaking> BatchesInMaking::take_front() {
  if (batches_.empty()) return nullptr;
  std::unique_ptr<BatchInMaking> batch = std::move(batches_.front());
  batches_.pop_front();
  ++first_;
  return batch;
}

void BatchesInMaking::begin(Sample& sample) {
  BatchInMaking& batch = *sample.batch;
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

std::unique_ptr<BatchData> BatchesInMaking::make(std::int64_t index, std::size_t cells) const {
  auto batch = make_bare(index, cells);
  make_columns(*batch, true);
  return batch;
}

std::unique_ptr<BatchData> BatchesInMaking::make_bare(std::int64_t index, std::size_t cells) const {
  auto batch = std::make_unique<BatchData>();
  batch->index = index;
  batch->epoch = run_.epoch;
  batch->cells = cells;
  return batch;
}

void BatchesInMaking::make_columns(BatchData& batch, bool for_user) const {
  const std::size_t room = options_.last_batch == LastBatch::fill
                               ? static_cast<std::size_t>(options_.batch_size)
                               : batch.cells;
  std::vector<std::unique_ptr<Column>> columns;
  for (std::size_t k = 0; k < makers_.size(); ++k) {
    ColumnMemory memory = memory_[k];
    if (!for_user) memory.given = nullptr;
    columns.push_back(makers_[k]->make(room, memory));
  }
  batch.columns = std::move(columns);
}

}  // namespace sluice::detail
