// BatchMemory: the memory for the values of one output of one batch. Values are written in place,
// one per cell. If all have the same spec, they lie in one dense block; if they differ, each has a
// block of its own (ragged).
//
// The first value determines the layout of the block. A block is reserved only if the batches
// before suggest it: the last one was dense, and the largest dense one took at least half as much.
// A value outside the block has its own memory. finish() decides: the batch is dense exactly if all
// values agree. Their order of arrival does not matter, nor whether they must be moved. A batch
// without values is not dense, but has a block: `each()` is then the spec that its values would
// have.
//
// The user may provide the memory as a MemoryResource. Then the block is always reserved there,
// with the first value. If the values cannot lie there, finish() throws Error: they differ, or the
// resource returns nothing or too little. Until then the values have their own memory.
//
// Values may be in a device's memory or in pinned memory. Then nothing here waits for the device,
// unless memory runs out. finish() moves a device's own values by copies on a stream, and the batch
// is ready when those are over: see StreamSync. For memory released meanwhile, see DeviceBatches.
//
// Ownership: owns its memory through Buffers, and shares the user's resource; holders of a part of
// it share the BatchMemory. Threads: place() from several threads for different cells; finish()
// once all values are there; after it, the functions of StreamSync from any. Errors:
// std::bad_alloc, and Error as described above.
#pragma once

#include <sluice/runtime/device.h>
#include <sluice/runtime/memory.h>
#include <sluice/runtime/process.h>
#include <sluice/runtime/tensor.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace sluice {

// DeviceBatches: the device resources that the batches of one pipeline share: a stream for their
// copies, events to wait for, and released memory that streams may still use.
//
// Released memory is freed when the events named for it are over. They are checked when memory is
// needed next. The destructor, after the last batch is gone, waits for the rest.
//
// Ownership: shares the device, and is shared by the batches. Query its events only through it.
// Threads: any. Errors: DeviceError. In a child of fork(), functions that need the device throw
// Error, and let_go() frees the memory at once.
class DeviceBatches {
 public:
  using Event = std::shared_ptr<DeviceEvent>;
  struct Copy {
    void* to;
    const void* from;
    std::size_t bytes;
  };
  // Released memory: one of the two.
  struct Held {
    Buffer own;
    std::shared_ptr<void> shared;
  };

  explicit DeviceBatches(std::shared_ptr<Device> device);
  ~DeviceBatches();
  DeviceBatches(const DeviceBatches&) = delete;
  DeviceBatches& operator=(const DeviceBatches&) = delete;

  // Throws Error in a child of fork().
  void require_home() const;

  // Runs the copies in order, after those of earlier calls. Returns an event that is over after
  // them. If it throws, none of the copies is running any more.
  Event copy(std::span<const Copy> copies);
  // Returns a copy in pinned memory of a contiguous device tensor. Waits for the copy.
  Tensor to_host(const Tensor& tensor);
  // For copies to the host.
  BufferPool& pinned() { return pinned_; }

  void wait_on(void* stream, std::span<const Event> events);
  void wait(std::span<const Event> events);
  // Returns an event that is over after the work now in the stream. Reuses `again` unless it is
  // null.
  Event record(void* stream, Event again);

  // Releases the memory when the events are over, whether or not their work succeeded.
  void let_go(std::vector<Held>& memory, std::vector<Event> users) noexcept;
  // Frees the memory whose events are over by now.
  void reclaim() noexcept;
  // Waits until some released memory is freed. Returns false if there is none.
  bool wait_for_memory() noexcept;

 private:
  struct Kept {
    std::vector<Held> memory;
    std::vector<Event> users;
  };
  // Removes events that are over; returns true if all are. Requires the lock.
  static bool over(std::vector<Event>& users) noexcept;

  const ForkGuard fork_guard_;
  const std::shared_ptr<Device> device_;
  BufferPool pinned_;
  std::mutex mutex_;
  std::unique_ptr<DeviceStream> stream_;  // made at first use
  std::list<Kept> kept_;
};

// StreamSync: orders the use of device memory with the streams of its consumers. A batch's memory
// has one; its tensors refer to it.
//
// Streams are passed as native handles: a cudaStream_t, of which null is CUDA's default stream; for
// the stand-in device, what DeviceStream::native() returns.
//
// Threads: any. Errors: DeviceError; std::logic_error for streams if there is no device.

class StreamSync {
 public:
  // Work put into the stream from now on starts when the memory is filled. Returns at once.
  virtual void wait_on(void* stream) = 0;
  // Waits until the memory is filled. Throws what went wrong.
  virtual void wait() = 0;
  // After its last owner is gone, the memory is not reused before the work now in the stream is
  // over.
  virtual void release_after(void* stream) = 0;
  // Waits, and returns a copy of the elements, which lie in this memory side by side.
  virtual Tensor to_host(const Tensor& tensor) = 0;

 protected:
  ~StreamSync() = default;
};

// Facts about the finished batches of one output, for the next ones.
struct BatchHistory {
  // The spec of the values of the last batch that had some, with 0 for sizes in which they differ.
  // Before that: what is known of the output.
  ValueSpec each;
  std::atomic<bool> last_dense{false};
  std::atomic<std::size_t> largest_dense{0};  // bytes
};

class BatchMemory final : public StreamSync {
 public:
  // `pool` provides the memory. `history` outlives the filling of the batch and is shared by the
  // batches of one output, which finish one at a time. `given`: the user's memory; null to use only
  // the pool. `device`: null if no device uses the memory. Pool and given memory are of one kind,
  // or both on the host.
  BatchMemory(std::size_t cells, BufferPool& pool, BatchHistory& history,
              std::shared_ptr<MemoryResource> given = nullptr,
              std::shared_ptr<DeviceBatches> device = nullptr);
  ~BatchMemory();
  BatchMemory(const BatchMemory&) = delete;
  BatchMemory& operator=(const BatchMemory&) = delete;

  // Returns memory for the value of `cell`. Calling it again drops the cell's previous value.
  std::byte* place(std::size_t cell, const ValueSpec& spec);
  // Returns the place of that memory.
  MemoryPlace place_of(std::size_t cell) const;
  // True if the cell's value lies at `data` with the spec that the cell was made for, so that
  // nothing is left to do.
  bool holds(std::size_t cell, const std::byte* data, const ValueSpec& spec) const {
    return cells_[cell].data == data && cells_[cell].spec == spec;
  }
  // Takes the cell's own memory, so that its value can still be read while place() makes room for
  // another.
  Buffer give_up(std::size_t cell) { return std::move(cells_[cell].own); }
  // For a device's values, which are not copied here. The first makes `value`, which owns its
  // memory, the cell's value. The second does so with value `i` of `from`, after from.finish().
  void adopt(std::size_t cell, Tensor&& value);
  void adopt(std::size_t cell, BatchMemory& from, std::size_t i);

  // Keeps the given cells, in that order, as values 0, 1, ...; then repeats the last one `padding`
  // times. After an Error, call no other function.
  void finish(std::span<const std::uint32_t> kept, std::size_t padding);

  // Bytes of memory held: the block and what lies outside it, as the pool counts them. Memory from
  // the user does not count.
  std::size_t bytes() const;

  // After finish(). Without a device there is nothing to wait for, and release_after() throws
  // std::logic_error, except for plain host memory.
  void wait_on(void* stream) override;
  void wait() override;
  void release_after(void* stream) override;
  Tensor to_host(const Tensor& tensor) override;
  // Returns a copy of all values in host memory; waits.
  std::shared_ptr<BatchMemory> copy_to_host();
  // Starts a copy of all values into device memory, of `pool` or the user's, and returns it: see
  // wait_on(). This memory is not reused before the copy is over. Call it for pinned memory, after
  // finish() or when is_dense_in_block(), on one thread at a time. `patient`: if there is no
  // memory, waits for memory that streams still use. Throws Error if the values do not fit into the
  // user's memory.
  std::shared_ptr<BatchMemory> copy_to_device(BufferPool& pool,
                                              std::shared_ptr<MemoryResource> given, bool patient);
  // True if finish(), with all cells and no padding, would move nothing. Call it when all cells
  // have values.
  bool is_dense_in_block() const;

  // The spec of a cell that has its value, or of value i after finish().
  const ValueSpec& spec(std::size_t i) const { return cells_[i].spec; }
  // After finish(): the spec of all values if they agree; for an empty batch, the spec that its
  // values would have.
  const ValueSpec& each() const { return cells_.empty() ? none_ : cells_.front().spec; }
  // After finish().
  std::size_t size() const { return cells_.size(); }
  bool dense() const { return dense_; }
  MemoryPlace place() const { return place_; }
  std::byte* data(std::size_t i) const { return cells_[i].data; }
  // Returns the block of a dense batch, or of one without values.
  std::byte* block() const { return cells_.empty() ? block_.data : cells_.front().data; }

 private:
  struct Cell {
    std::byte* data = nullptr;
    ValueSpec spec;
    Buffer own;
    std::shared_ptr<void> shared;  // keeps the value alive if its memory is shared
  };
  // The memory of all values if they agree: from the pool, or the user's.
  struct Block {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    Buffer own;
    std::shared_ptr<std::byte> given;
    std::shared_ptr<void> shared;  // replaces `own` once shared
  };
  // A stream's use of the memory.
  struct Use {
    void* stream;
    DeviceBatches::Event over;
  };
  void reserve_block(const ValueSpec& spec);
  Buffer take(std::size_t bytes, bool patient = true);
  Block allocate_block(std::size_t bytes, bool patient);
  void* ask_given(std::size_t bytes, bool patient);
  void make_dense(std::size_t count);
  void make_ragged(std::size_t count);
  void move(std::byte* to, const std::byte* from, std::size_t bytes);
  void let_go(Buffer& own, std::shared_ptr<void>& shared);
  void run_copies();
  std::shared_ptr<void> share(std::size_t i);
  std::shared_ptr<BatchMemory> copy_into(BufferPool& pool, std::shared_ptr<MemoryResource> given,
                                         bool patient);

  BufferPool* pool_;
  BatchHistory* history_;
  std::shared_ptr<DeviceBatches> device_;  // declared before what refers to it
  MemoryPlace place_;
  std::mutex mutex_;  // guards the decision about the block, and uses_
  bool decided_ = false;
  std::shared_ptr<MemoryResource> given_;
  ValueSpec block_spec_;
  Block block_;
  std::vector<Cell> cells_;
  bool dense_ = false;
  ValueSpec none_;  // each() of an empty batch
  // For finish() with a device's values: the copies, and the memory that is free after them.
  std::vector<DeviceBatches::Copy> copies_;
  std::vector<DeviceBatches::Held> dropped_;
  std::vector<DeviceBatches::Event> ready_;   // over when the values are in their final place
  std::vector<DeviceBatches::Event> copied_;  // over when copy_to_device() has read the values
  std::vector<Use> uses_;
};

}  // namespace sluice
