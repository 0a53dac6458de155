// BatchMemory: where the values of one output of one batch lie. Values are written in place, one
// cell each: dense in one block when all have the same spec, each in a block of its own (ragged)
// when they differ.
//
// The first value decides what the block looks like, but a block is reserved only where the batches
// before give reason to: the last one was dense, and the largest dense one took at least half as
// much. A value outside the block has memory of its own. finish() settles the matter: dense exactly
// when all values agree, whatever the order in which they came, and whether or not they must be
// moved for it.
//
// The memory may be given by the user, as a MemoryResource: then the block is reserved there with
// the first value, in any case. What cannot lie there (values that differ, a resource that gives
// nothing or too little) is an Error of finish(); until then the values have memory of their own.
//
// Ownership: owns its memory through Buffers, and shares the user's resource; those who hold a part
// of it share the BatchMemory. Threads: place() from several threads for different cells; the rest
// when all values are there. Errors: std::bad_alloc, and Error as said.
#pragma once

#include <sluice/runtime/buffer_pool.h>
#include <sluice/runtime/memory_resource.h>
#include <sluice/runtime/tensor.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace sluice {

// What is known of the batches of one output that are finished.
struct BatchHistory {
  std::atomic<bool> last_dense{false};
  std::atomic<std::size_t> largest_dense{0};  // bytes
};

class BatchMemory {
 public:
  // `pool` provides the memory. `history` outlives the filling of the batch and is shared by the
  // batches of one output, which finish one at a time. `given`: the user's memory; null for the
  // pool's alone.
  BatchMemory(std::size_t cells, BufferPool& pool, BatchHistory& history,
              std::shared_ptr<MemoryResource> given = nullptr);

  // Memory for the value of `cell`. Asking again drops what the cell had.
  std::byte* place(std::size_t cell, const ValueSpec& spec);
  // True when the cell's value lies at `data` and is what the cell was made for, so that nothing is
  // left to do.
  bool holds(std::size_t cell, const std::byte* data, const ValueSpec& spec) const {
    return cells_[cell].data == data && cells_[cell].spec == spec;
  }
  // The memory of its own that the cell has, for as long as its value is read while place() makes
  // room for another.
  Buffer give_up(std::size_t cell) { return std::move(cells_[cell].own); }

  // Keeps the given cells, in that order, as values 0, 1, ...; then repeats the last one `padding`
  // times. After an Error nothing is to be asked for.
  void finish(std::span<const std::uint32_t> kept, std::size_t padding);

  // Bytes of memory held: the block and what lies outside it, as the pool counts them. What the
  // user gave does not count.
  std::size_t bytes() const;

  // Of a cell that has its value, or of value i after finish().
  const ValueSpec& spec(std::size_t i) const { return cells_[i].spec; }
  // After finish().
  std::size_t size() const { return cells_.size(); }
  bool dense() const { return dense_; }
  MemoryPlace place() const { return given_ == nullptr ? MemoryPlace{} : given_->place(); }
  std::byte* data(std::size_t i) const { return cells_[i].data; }

 private:
  struct Cell {
    std::byte* data = nullptr;
    ValueSpec spec;
    Buffer own;
  };
  // The memory of all values when they agree: of the pool, or the user's.
  struct Block {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    Buffer own;
    std::shared_ptr<std::byte> given;
  };
  void reserve_block(const ValueSpec& spec);
  Block allocate_block(std::size_t bytes);
  void make_dense(std::size_t count);

  BufferPool* pool_;
  BatchHistory* history_;
  std::mutex mutex_;  // guards the decision about the block
  bool decided_ = false;
  std::shared_ptr<MemoryResource> given_;
  ValueSpec block_spec_;
  Block block_;
  std::vector<Cell> cells_;
  bool dense_ = false;
};

}  // namespace sluice
