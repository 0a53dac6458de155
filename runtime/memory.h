// Memory: MemoryResource, a source of memory of one kind, and BufferPool with its Buffers, pooled
// memory for pixels, tensors and bytes.
//
// A MemoryResource provides host memory, host memory that is pinned for a device, or a device's
// own. Implement one to have batches made in your memory (see PipelineOptions::output_memory), or
// use BufferRing.
//
// A BufferPool hands out Buffers: aligned, uninitialized blocks of memory. A Buffer owns its block
// and returns it to its pool when it is destroyed, so that a warm program allocates nothing. Blocks
// come in size classes (four per power of two, so at most a fifth of a block is unused). A class
// that has no block borrows one of up to twice the size from another.
//
// A pool never keeps more than was in use at one time. Before it takes a block that
// would exceed this from its MemoryResource, it returns unused ones. But allocating and freeing
// pinned or device memory costs a thousand times as much as using it: a pool keeps all of that
// until it is trimmed, or the system has no more.
//
// Ownership: a holder of memory shares its resource, so memory may be returned at any time, even
// after the pipeline is gone. A Buffer keeps the memory of its pool alive; it may outlive the
// BufferPool object. In a child of fork(), a Buffer that was made before stays readable. If it is
// released there, its block goes to the system; so do blocks that are allocated there from a pool
// made before. Threads: every function may be called from any thread, several at once; other
// samples of the same batch may wait while a resource allocates. A Buffer may be released on
// another thread than the one which allocated it. One Buffer object belongs to one thread at a
// time. Errors: allocate() of a resource may throw anything, or return null; deallocate() must not
// throw. BufferPool::allocate() throws std::bad_alloc, and leaves the pool unchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace sluice {

enum class MemoryKind : std::uint8_t { host, pinned, device };
const char* name_of(MemoryKind kind);

// The kind of a memory and, unless it is plain host memory, the device that it belongs to.
struct MemoryPlace {
  MemoryKind kind = MemoryKind::host;
  int device = 0;
  // True if the CPU can read and write it.
  bool on_host() const { return kind != MemoryKind::device; }
  friend bool operator==(const MemoryPlace&, const MemoryPlace&) = default;
};
// "host memory", "pinned memory of device 0".
std::string to_string(const MemoryPlace& place);
// Throws std::logic_error for memory that the CPU cannot read.
void require_on_host(const MemoryPlace& place);

// A source of memory of one kind.
class MemoryResource {
 public:
  explicit MemoryResource(MemoryPlace place = {}) : place_(place) {}
  virtual ~MemoryResource() = default;
  MemoryResource(const MemoryResource&) = delete;
  MemoryResource& operator=(const MemoryResource&) = delete;

  MemoryPlace place() const { return place_; }
  // Returns memory for `bytes` bytes, at a multiple of `alignment`, a power of two.
  virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
  // Takes back what allocate() returned, with the same arguments.
  virtual void deallocate(void* at, std::size_t bytes, std::size_t alignment) noexcept = 0;
  // The number of blocks that can be allocated at one time, if it is known to be small.
  virtual std::size_t most_blocks() const { return std::numeric_limits<std::size_t>::max(); }

 private:
  MemoryPlace place_;
};

// Returns a resource that allocates from `from`, at most `bytes` bytes at one time. Beyond that,
// allocate() throws a std::bad_alloc that says so, followed by `advice`: what to do.
std::shared_ptr<MemoryResource> limited(std::shared_ptr<MemoryResource> from, std::size_t bytes,
                                        const std::string& advice);

// Returns the memory of operator new. It is never destroyed.
const std::shared_ptr<MemoryResource>& host_memory();

// BufferRing: a MemoryResource of a fixed number of buffers of one size that belong to the user.
// Each batch is written directly into one of them. A buffer is reused when the batch, and every
// tensor and DLPack capsule of it, are gone.
//
//   auto ring = std::make_shared<BufferRing>(std::vector{first, second, third, ...}, bytes_of_one);
//   make_pipeline({.batch_size = 64, .output_memory = {ring}}, ...);
//
// Ownership: the user owns the buffers, which must live as long as the ring; any batch in the ring
// keeps the ring alive. Threads: as MemoryResource says. Errors: Error if a requested block is
// larger than a buffer or more strictly aligned, and if no buffer is free; std::invalid_argument
// for no buffers, or a null one.

class BufferRing : public MemoryResource {
 public:
  // `place`: the kind of the buffers' memory.
  BufferRing(std::vector<void*> buffers, std::size_t bytes_each, MemoryPlace place = {});
  ~BufferRing() override;

  void* allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(void* at, std::size_t bytes, std::size_t alignment) noexcept override;
  std::size_t most_blocks() const override { return count_; }

  std::size_t bytes_each() const { return bytes_each_; }
  // The number of buffers that no batch uses.
  std::size_t free() const;

 private:
  const std::size_t count_;
  const std::size_t bytes_each_;
  struct Queue;
  std::unique_ptr<Queue> queue_;
};

// OutOfMemory: a std::bad_alloc whose message names the memory that ran out, and says what to do.
// Copies share the message, because copying an exception must not throw.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(std::shared_ptr<const std::string> what) noexcept : what_(std::move(what)) {}
  const char* what() const noexcept override { return what_->c_str(); }

 private:
  std::shared_ptr<const std::string> what_;
};

// Returns the error for a device that does not have `bytes` bytes left.
OutOfMemory none_left(const std::string& device, std::size_t bytes, MemoryKind kind);

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

// A pool of blocks. It takes them from host memory, unless another resource is passed.
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
