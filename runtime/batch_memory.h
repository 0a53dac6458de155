// BatchMemory: where the values of one output of one batch lie. Values are written in place, one
// cell each: dense in one block when all have the same spec, each in a block of its own (ragged)
// when they differ.
//
// The first value decides what the block looks like, but a block is reserved only where the batches
// before give reason to: the last one was dense, and the largest dense one took at least half as
// much. A value outside the block has memory of its own. finish() settles the matter: dense exactly
// when all values agree, whatever the order in which they came, and whether or not they must be
// moved for it. A batch without values is not dense, but has a block:
// `each()` is then the spec that its values would have.
//
// The memory may be given by the user, as a MemoryResource: then the block is reserved there with
// the first value, in any case. What cannot lie there (values that differ, a resource that gives
// nothing or too little) is an Error of finish(); until then the values have memory of their own.
//
// Values may be a device's, in memory of its own or pinned: then nothing here waits for it. A
// device's own values are moved, for finish(), by copies on a stream, and the batch is ready when
// those are over: see StreamOrder, and device_batches.h for memory that is let go of meanwhile.
//
// Ownership: owns its memory through Buffers, and shares the user's resource; those who hold a part
// of it share the BatchMemory. Threads: place() from several threads for different cells; finish()
// when all values are there; after it, what StreamOrder says from any. Errors: std::bad_alloc, and
// Error as said.
#pragma once

#include <sluice/runtime/buffer_pool.h>
#include <sluice/runtime/device_batches.h>
#include <sluice/runtime/memory_resource.h>
#include <sluice/runtime/tensor.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace sluice {

// StreamOrder: how memory that a device uses takes turns with the streams of those who get it. A
// batch's memory has one; its tensors refer to it.
//
// Streams are given as the handles of their library: a cudaStream_t, of which null is CUDA's
// default stream; of the stand-in, what DeviceStream::native() gives.
//
// Threads: any. Errors: DeviceError; std::logic_error for streams where there is no device.

class StreamOrder {
 public:
  // What is put into the stream from now on begins when the memory holds what it shall. Returns at
  // once.
  virtual void wait_on(void* stream) = 0;
  // Waits for that here and now, and throws what went wrong.
  virtual void wait() = 0;
  // When nobody has the memory any more, it is not used again before the work is over that is in
  // the stream now.
  virtual void release_after(void* stream) = 0;
  // Waits, and copies the elements, which lie in this memory side by side.
  virtual Tensor to_host(const Tensor& tensor) = 0;

 protected:
  ~StreamOrder() = default;
};

// What is known of the batches of one output that are finished.
struct BatchHistory {
  // A value of the last batch that had some, with 0 for the sizes in which its values differ.
  // Before that: what is known of the output.
  ValueSpec each;
  std::atomic<bool> last_dense{false};
  std::atomic<std::size_t> largest_dense{0};  // bytes
};

class BatchMemory final : public StreamOrder {
 public:
  // `pool` provides the memory. `history` outlives the filling of the batch and is shared by the
  // batches of one output, which finish one at a time. `given`: the user's memory; null for the
  // pool's alone. `device`: null where no device uses the memory. All of it is of one kind, or, but
  // for a device's own, on the host.
  BatchMemory(std::size_t cells, BufferPool& pool, BatchHistory& history,
              std::shared_ptr<MemoryResource> given = nullptr,
              std::shared_ptr<DeviceBatches> device = nullptr);
  ~BatchMemory();
  BatchMemory(const BatchMemory&) = delete;
  BatchMemory& operator=(const BatchMemory&) = delete;

  // Memory for the value of `cell`. Asking again drops what the cell had.
  std::byte* place(std::size_t cell, const ValueSpec& spec);
  // Of what kind that is.
  MemoryPlace place_of(std::size_t cell) const;
  // True when the cell's value lies at `data` and is what the cell was made for, so that nothing is
  // left to do.
  bool holds(std::size_t cell, const std::byte* data, const ValueSpec& spec) const {
    return cells_[cell].data == data && cells_[cell].spec == spec;
  }
  // The memory of its own that the cell has, for as long as its value is read while place() makes
  // room for another.
  Buffer give_up(std::size_t cell) { return std::move(cells_[cell].own); }
  // For a device's values, which nobody copies here: the cell has this one, which owns its memory;
  // or, after finish() of the other batch, that one's value i.
  void adopt(std::size_t cell, Tensor&& value);
  void adopt(std::size_t cell, BatchMemory& from, std::size_t i);

  // Keeps the given cells, in that order, as values 0, 1, ...; then repeats the last one `padding`
  // times. After an Error nothing is to be asked for.
  void finish(std::span<const std::uint32_t> kept, std::size_t padding);

  // Bytes of memory held: the block and what lies outside it, as the pool counts them. What the
  // user gave does not count.
  std::size_t bytes() const;

  // After finish(). Of memory without a device there is nothing to wait for, and for pinned memory
  // that the user gave nobody can: release_after() throws std::logic_error.
  void wait_on(void* stream) override;
  void wait() override;
  void release_after(void* stream) override;
  Tensor to_host(const Tensor& tensor) override;
  // All values, in the host's memory; waits.
  std::shared_ptr<BatchMemory> copy_to_host();

  // Of a cell that has its value, or of value i after finish().
  const ValueSpec& spec(std::size_t i) const { return cells_[i].spec; }
  // After finish(): of all values where they agree, or of those that an empty batch lacks.
  const ValueSpec& each() const { return cells_.empty() ? none_ : cells_.front().spec; }
  // After finish().
  std::size_t size() const { return cells_.size(); }
  bool dense() const { return dense_; }
  MemoryPlace place() const { return place_; }
  std::byte* data(std::size_t i) const { return cells_[i].data; }
  // The block of a dense batch, or of one without values.
  std::byte* block() const { return cells_.empty() ? block_.data : cells_.front().data; }

 private:
  struct Cell {
    std::byte* data = nullptr;
    ValueSpec spec;
    Buffer own;
    std::shared_ptr<void> shared;  // what keeps it, where others may have a part of that
  };
  // The memory of all values when they agree: of the pool, or the user's.
  struct Block {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    Buffer own;
    std::shared_ptr<std::byte> given;
    std::shared_ptr<void> shared;  // has taken the place of `own`
  };
  // What a stream has done with the memory.
  struct Use {
    void* stream;
    DeviceBatches::Event over;
  };
  void reserve_block(const ValueSpec& spec);
  Buffer take(std::size_t bytes);
  Block allocate_block(std::size_t bytes, bool patient);
  void* ask_given(std::size_t bytes, bool patient);
  void make_dense(std::size_t count);
  void make_ragged(std::size_t count);
  void move(std::byte* to, const std::byte* from, std::size_t bytes);
  void let_go(Buffer& own, std::shared_ptr<void>& shared);
  void run_copies();
  std::shared_ptr<void> share(std::size_t i);

  BufferPool* pool_;
  BatchHistory* history_;
  std::shared_ptr<DeviceBatches> device_;  // first of what refers to it
  MemoryPlace place_;
  std::mutex mutex_;  // guards the decision about the block, and uses_
  bool decided_ = false;
  std::shared_ptr<MemoryResource> given_;
  ValueSpec block_spec_;
  Block block_;
  std::vector<Cell> cells_;
  bool dense_ = false;
  ValueSpec none_;  // each() of an empty batch
  // Of finish(), for a device's values: what is copied, and the memory that is free after that.
  std::vector<DeviceBatches::Copy> copies_;
  std::vector<DeviceBatches::Held> dropped_;
  std::vector<DeviceBatches::Event> ready_;  // when the values are where they shall be
  std::vector<Use> uses_;
};

}  // namespace sluice
