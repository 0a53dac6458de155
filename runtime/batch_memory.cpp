#include <sluice/runtime/batch_memory.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

namespace sluice {

BatchMemory::BatchMemory(std::size_t cells, BufferPool& pool, BatchHistory& history,
                         std::shared_ptr<MemoryResource> given)
    : pool_(&pool), history_(&history), given_(std::move(given)), cells_(cells) {}

void BatchMemory::reserve_block(const ValueSpec& spec) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(spec.bytes(), cells_.size(), &bytes)) return;
  if (given_ == nullptr) {
    if (!history_->last_dense.load(std::memory_order_relaxed)) return;
    if (bytes / 2 > history_->largest_dense.load(std::memory_order_relaxed)) return;
  }
  try {
    block_ = allocate_block(bytes);
    block_spec_ = spec;
  } catch (const Error&) {  // finish() asks again, and tells
  }
}

BatchMemory::Block BatchMemory::allocate_block(std::size_t bytes) {
  Block block;
  if (given_ == nullptr) {
    block.own = pool_->allocate(bytes);
    block.data = block.own.data();
    block.bytes = block.own.size();
    return block;
  }
  const auto refuse = [&](const std::string& why) {
    throw Error("the memory that was given for this output has no room for a batch of " +
                std::to_string(bytes) + " bytes: " + why);
  };
  const std::size_t asked = std::max<std::size_t>(bytes, 1);  // the address must not be null
  void* at = nullptr;
  try {
    at = given_->allocate(asked, Buffer::kAlignment);
  } catch (const std::exception& e) {
    refuse(e.what());
  } catch (...) {
    refuse("its allocate() threw what is no std::exception");
  }
  if (at == nullptr) refuse("its allocate() gave a null pointer");
  if (reinterpret_cast<std::uintptr_t>(at) % Buffer::kAlignment != 0) {
    given_->deallocate(at, asked, Buffer::kAlignment);
    refuse("its allocate() gave an address that is no multiple of " +
           std::to_string(Buffer::kAlignment));
  }
  block.data = static_cast<std::byte*>(at);
  block.bytes = bytes;
  // Should there be no memory for the count, `at` goes back at once.
  block.given = std::shared_ptr<std::byte>(block.data, [given = given_, asked](std::byte* data) {
    given->deallocate(data, asked, Buffer::kAlignment);
  });
  return block;
}

std::byte* BatchMemory::place(std::size_t index, const ValueSpec& spec) {
  bool in_block = false;
  {
    const std::lock_guard lock(mutex_);
    if (!decided_) {
      reserve_block(spec);
      decided_ = true;
    }
    in_block = block_.data != nullptr && block_spec_ == spec;
  }
  Cell& cell = cells_[index];
  cell.own.reset();
  if (in_block) {
    cell.data = block_.data + spec.bytes() * index;
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
  if (given_ != nullptr && count > 0) {
    throw Error(
        "the samples of this batch differ in shape, so that they do not fit into memory that was "
        "given for them; give them one shape, for instance with resize");
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
  std::size_t sum = block_.own.capacity();
  for (const Cell& cell : cells_) sum += cell.own.capacity();
  return sum;
}

// All values agree, so that they belong side by side. Usually they are: then nothing moves.
void BatchMemory::make_dense(std::size_t count) {
  const ValueSpec spec = cells_.front().spec;
  const std::size_t bytes = spec.bytes();
  // No value lies in a block that was reserved for other ones; what the user gave is not taken
  // twice.
  const bool ours = block_.data != nullptr && block_spec_ == spec;
  const bool reuse =
      block_.data != nullptr && (ours || block_.given) && block_.bytes >= bytes * count;
  Block target;
  if (!reuse) {
    if (!ours) block_ = Block{};
    target = allocate_block(bytes * count);
  }
  std::byte* const base = reuse ? block_.data : target.data;
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
