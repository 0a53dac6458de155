#include <sluice/runtime/batch_memory.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace sluice {

BatchMemory::BatchMemory(std::size_t cells, BufferPool& pool, BatchHistory& history)
    : pool_(&pool), history_(&history), cells_(cells) {}

void BatchMemory::reserve_block(const ValueSpec& spec) {
  if (!history_->last_dense.load(std::memory_order_relaxed)) return;
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(spec.bytes(), cells_.size(), &bytes)) return;
  if (bytes / 2 > history_->largest_dense.load(std::memory_order_relaxed)) return;
  block_ = pool_->allocate(bytes);
  block_spec_ = spec;
}

std::byte* BatchMemory::place(std::size_t index, const ValueSpec& spec) {
  bool in_block = false;
  {
    const std::lock_guard lock(mutex_);
    if (!decided_) {
      reserve_block(spec);
      decided_ = true;
    }
    in_block = block_ && block_spec_ == spec;
  }
  Cell& cell = cells_[index];
  cell.own.reset();
  if (in_block) {
    cell.data = block_.data() + spec.bytes() * index;
  } else {
    cell.data = nullptr;
    cell.own = pool_->allocate(spec.bytes());
    cell.data = cell.own.data();
  }
  cell.spec = spec;
  return cell.data;
}

void BatchMemory::finish(std::span<const std::uint32_t> kept, std::size_t padding) {
  std::vector<Cell> values;
  values.reserve(kept.size() + padding);
  for (const std::uint32_t cell : kept) values.push_back(std::move(cells_[cell]));
  cells_ = std::move(values);
  const std::size_t count = kept.empty() ? 0 : kept.size() + padding;
  const bool agree = std::all_of(cells_.begin(), cells_.end(), [&](const Cell& cell) {
    return cell.spec == cells_.front().spec;
  });
  dense_ = agree && count > 0;
  if (count > 0) history_->last_dense.store(dense_, std::memory_order_relaxed);
  if (dense_) {
    std::atomic<std::size_t>& largest = history_->largest_dense;
    largest.store(
        std::max(largest.load(std::memory_order_relaxed), count * cells_.front().spec.bytes()),
        std::memory_order_relaxed);
    make_dense(count);
    return;
  }
  while (cells_.size() < count) {
    Cell copy;
    copy.spec = cells_[kept.size() - 1].spec;
    copy.own = pool_->allocate(copy.spec.bytes());
    copy.data = copy.own.data();
    std::memcpy(copy.data, cells_[kept.size() - 1].data, copy.spec.bytes());
    cells_.push_back(std::move(copy));
  }
}

std::size_t BatchMemory::bytes() const {
  std::size_t sum = block_.capacity();
  for (const Cell& cell : cells_) sum += cell.own.capacity();
  return sum;
}

// All values agree, so that they belong side by side. Usually they are: then nothing moves.
void BatchMemory::make_dense(std::size_t count) {
  const ValueSpec spec = cells_.front().spec;
  const std::size_t bytes = spec.bytes();
  Buffer target;
  const bool reuse = block_ && block_spec_ == spec && block_.size() >= bytes * count;
  if (!reuse) target = pool_->allocate(bytes * count);
  std::byte* const base = reuse ? block_.data() : target.data();
  // Within the block values only move towards its front, in order, so none is overwritten before it
  // has moved.
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    std::byte* const to = base + bytes * i;
    if (cells_[i].data != to) std::memmove(to, cells_[i].data, bytes);
    cells_[i].data = to;
    cells_[i].own.reset();
  }
  while (cells_.size() < count) {
    std::byte* const to = base + bytes * cells_.size();
    std::memcpy(to, cells_.back().data, bytes);
    Cell copy;
    copy.data = to;
    copy.spec = spec;
    cells_.push_back(std::move(copy));
  }
  if (!reuse) block_ = std::move(target);
}

}  // namespace sluice
