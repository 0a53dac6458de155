// BufferPool and Buffer: pooled memory for pixels, tensors and bytes.
//
// A BufferPool hands out Buffers: aligned, uninitialized blocks of memory. A Buffer owns its block
// and returns it to its pool when it is destroyed, so that a warm program allocates nothing. Blocks
// come in size classes (four per power of two, so at most a fifth of a block is unused). A class
// that has no block borrows one of up to twice the size from another.
//
// A pool never keeps more than was in use at one time. Before it takes a block from the system that
// would exceed this, it returns unused ones. But allocating and freeing pinned or device memory
// costs a thousand times as much as using it: a pool keeps all of that until it is trimmed, or the
// system has no more.
//
// The system is a MemoryResource: host memory, unless another one is passed.
//
// Ownership: a Buffer keeps the memory of its pool alive; it may outlive the BufferPool object. In
// a child of fork(), a Buffer that was made before stays readable. If it is released there, its
// block goes to the system; so do blocks that are allocated there from a pool made before.
// Threads: every function may be called from any thread; a Buffer may be released on another thread
// than the one which allocated it. One Buffer object belongs to one thread at a time. Errors:
// allocate() throws std::bad_alloc, and leaves the pool unchanged.
#pragma once

#include <sluice/runtime/memory_resource.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace sluice {

class BufferPool;
namespace detail {
struct PoolBlock;
struct PoolState;
}  // namespace detail

// A block of memory on loan from a pool. Empty when default-constructed or moved from.
class Buffer {
 public:
  // Each block starts at a multiple of this many bytes.
  static constexpr std::size_t kAlignment = 64;
  // Bytes beyond size() that may be read (never written), so that vector loads need no tail case.
  static constexpr std::size_t kPadding = 64;

  Buffer() = default;
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~Buffer() { reset(); }

  std::byte* data() const { return data_; }
  // The size that was asked for, in bytes.
  std::size_t size() const { return size_; }
  // The size of the whole block, which counts in BufferPoolStats; 0 when empty.
  std::size_t capacity() const;
  // The system that the block comes from; null when empty.
  MemoryResource* resource() const;
  explicit operator bool() const { return data_ != nullptr; }
  // True if `at` points into the size() bytes of the block.
  bool contains(const void* at) const;

  // Gives the block back to its pool and leaves this object empty.
  void reset() noexcept;

  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(block_, other.block_);
    std::swap(pool_, other.pool_);
  }

 private:
  friend class BufferPool;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  detail::PoolBlock* block_ = nullptr;
  detail::PoolState* pool_ = nullptr;
};

struct BufferPoolStats {
  std::size_t bytes_in_use = 0;          // in blocks that are on loan
  std::size_t bytes_peak = 0;            // the most that bytes_in_use has been
  std::size_t bytes_reserved = 0;        // on loan or waiting in the pool; for host memory at most
                                         // bytes_peak
  std::uint64_t system_allocations = 0;  // how often the pool had to ask the system for a block
};

class BufferPool {
 public:
  // `from`: the source of blocks; throws std::invalid_argument if it is null. A block of device
  // memory may be handed out again as soon as it is returned: return it when the work that uses it
  // is over.
  explicit BufferPool(std::shared_ptr<MemoryResource> from = host_memory());
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // Returns a block of at least `bytes` bytes (0 is legal: a non-empty Buffer of size 0).
  Buffer allocate(std::size_t bytes);

  // Returns unused blocks to the system.
  void trim();

  BufferPoolStats stats() const;
  // The place of its blocks.
  MemoryPlace place() const;

  // The pool that Image and Tensor take memory from on this thread: the one of the innermost
  // BufferPoolScope, else one that the whole process shares.
  static BufferPool& current();

 private:
  detail::PoolState* state_;
};

// Makes `pool` the current one of this thread while the scope lives, and counts the bytes that this
// thread allocates from it meanwhile.
class BufferPoolScope {
 public:
  explicit BufferPoolScope(BufferPool& pool) noexcept;
  ~BufferPoolScope();
  BufferPoolScope(const BufferPoolScope&) = delete;
  BufferPoolScope& operator=(const BufferPoolScope&) = delete;

  // Sum of the sizes of all blocks taken through current() since the scope began, whether or not
  // they were given back.
  std::size_t bytes_allocated() const { return bytes_; }

 private:
  friend class BufferPool;
  BufferPool* pool_;
  BufferPoolScope* outer_;
  std::size_t bytes_ = 0;
};

}  // namespace sluice
