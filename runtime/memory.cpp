#include <sluice/runtime/error.h>
#include <sluice/runtime/memory.h>
#include <sluice/runtime/process.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <functional>
#include <mutex>
#include <stdexcept>

namespace sluice {
namespace {

class HostMemory : public MemoryResource {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment) override {
    return ::operator new (bytes, std::align_val_t{alignment});
  }
  void deallocate(void* at, std::size_t, std::size_t alignment) noexcept override {
    ::operator delete (at, std::align_val_t{alignment});
  }
};

class LimitedMemory : public MemoryResource {
 public:
  LimitedMemory(std::shared_ptr<MemoryResource> from, std::size_t bytes, const std::string& advice)
      : MemoryResource(from->place()),
        from_(std::move(from)),
        most_(bytes),
        what_(std::make_shared<const std::string>("no more than " + std::to_string(bytes) +
                                                  " bytes of " + to_string(place()) +
                                                  " may be used; " + advice)) {}

  void* allocate(std::size_t bytes, std::size_t alignment) override {
    if (used_.fetch_add(bytes) + bytes > most_) {
      used_.fetch_sub(bytes);
      throw OutOfMemory(what_);
    }
    try {
      return from_->allocate(bytes, alignment);
    } catch (...) {
      used_.fetch_sub(bytes);
      throw;
    }
  }
  void deallocate(void* at, std::size_t bytes, std::size_t alignment) noexcept override {
    from_->deallocate(at, bytes, alignment);
    used_.fetch_sub(bytes);
  }
  std::size_t most_blocks() const override { return from_->most_blocks(); }

 private:
  const std::shared_ptr<MemoryResource> from_;
  const std::size_t most_;
  const std::shared_ptr<const std::string> what_;
  std::atomic<std::size_t> used_{0};
};

}  // namespace

std::shared_ptr<MemoryResource> limited(std::shared_ptr<MemoryResource> from, std::size_t bytes,
                                        const std::string& advice) {
  return std::make_shared<LimitedMemory>(std::move(from), bytes, advice);
}

OutOfMemory none_left(const std::string& device, std::size_t bytes, MemoryKind kind) {
  return OutOfMemory(std::make_shared<const std::string>(
      device + " has no " + std::to_string(bytes) + " bytes of " +
      (kind == MemoryKind::pinned ? "pinned memory" : "memory") +
      " left; make window or batch_size smaller"));
}

const char* name_of(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::host:
      return "host";
    case MemoryKind::pinned:
      return "pinned";
    case MemoryKind::device:
      return "device";
  }
  return "?";
}

std::string to_string(const MemoryPlace& place) {
  std::string text = std::string(name_of(place.kind)) + " memory";
  if (place.kind != MemoryKind::host) text += " of device " + std::to_string(place.device);
  return text;
}

void require_on_host(const MemoryPlace& place) {
  if (place.on_host()) return;
  throw std::logic_error("the CPU cannot read " + to_string(place) +
                         "; call .cpu() in the pipeline, or to_host() on its output");
}

const std::shared_ptr<MemoryResource>& host_memory() {
  // Never destroyed: Buffers of static objects may be released after main.
  static const auto* const host =
      new std::shared_ptr<MemoryResource>(std::make_shared<HostMemory>());
  return *host;
}

// Free buffers form a queue: `free` entries from `next` on. The buffer that has been free longest
// is used first, which gives late readers the most time.
struct BufferRing::Queue {
  explicit Queue(std::vector<void*> all) : buffers(std::move(all)), free(buffers.size()) {}
  std::mutex mutex;
  std::vector<void*> buffers;
  std::size_t next = 0;
  std::size_t free;
};

BufferRing::BufferRing(std::vector<void*> buffers, std::size_t bytes_each, MemoryPlace place)
    : MemoryResource(place),
      count_(buffers.size()),
      bytes_each_(bytes_each),
      queue_(std::make_unique<Queue>(std::move(buffers))) {
  const std::vector<void*>& all = queue_->buffers;
  if (all.empty()) throw std::invalid_argument("a ring needs at least one buffer");
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == nullptr) {
      throw std::invalid_argument("buffer " + std::to_string(i) + " of a ring is null");
    }
  }
}

BufferRing::~BufferRing() = default;

void* BufferRing::allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes > bytes_each_) {
    throw Error(std::to_string(bytes) + " bytes do not fit into a buffer of " +
                std::to_string(bytes_each_));
  }
  const std::lock_guard lock(queue_->mutex);
  if (queue_->free == 0) {
    throw Error("all " + std::to_string(count_) +
                " buffers of the ring are in use; add buffers, or release batches and their "
                "tensors sooner");
  }
  void* const at = queue_->buffers[queue_->next];
  if (reinterpret_cast<std::uintptr_t>(at) % alignment != 0) {
    throw Error("a buffer of the ring does not begin at a multiple of " +
                std::to_string(alignment) + " bytes");
  }
  queue_->next = (queue_->next + 1) % count_;
  --queue_->free;
  return at;
}

void BufferRing::deallocate(void* at, std::size_t, std::size_t) noexcept {
  const std::lock_guard lock(queue_->mutex);
  queue_->buffers[(queue_->next + queue_->free) % count_] = at;
  ++queue_->free;
}

std::size_t BufferRing::free() const {
  const std::lock_guard lock(queue_->mutex);
  return queue_->free;
}

namespace detail {
namespace {

// Four classes per power of two, from 64 bytes on.
constexpr unsigned kClasses = 4 * 58;
constexpr std::size_t kSmallest = 64;
// A block may be lent to a request of this many classes below its own: half of its size.
constexpr unsigned kBorrow = 4;

unsigned class_of(std::size_t bytes) {
  if (bytes <= kSmallest) return 0;
  const unsigned log =
      static_cast<unsigned>(std::bit_width(bytes - 1)) - 1;  // 2^log < bytes <= 2^(log+1)
  const std::size_t quarter = (std::size_t{1} << log) / 4;
  const std::size_t steps = (bytes - (std::size_t{1} << log) + quarter - 1) / quarter;  // 1..4
  return (log - 6) * 4 + static_cast<unsigned>(steps);
}

std::size_t class_bytes(unsigned size_class) {
  if (size_class == 0) return kSmallest;
  const unsigned log = (size_class - 1) / 4 + 6;
  const std::size_t steps = (size_class - 1) % 4 + 1;
  return (std::size_t{1} << log) + steps * ((std::size_t{1} << log) / 4);
}

}  // namespace

// A pool's record of a block. It is not in the block itself, which may be device memory.
struct PoolBlock {
  std::byte* at;
  unsigned size_class;
  PoolBlock* next;  // in the list of free blocks
};

namespace {

PoolBlock* take_from(MemoryResource& system, unsigned size_class) {
  auto block = std::make_unique<PoolBlock>(PoolBlock{nullptr, size_class, nullptr});
  block->at = static_cast<std::byte*>(
      system.allocate(class_bytes(size_class) + Buffer::kPadding, Buffer::kAlignment));
  if (block->at == nullptr) throw std::bad_alloc();
  return block.release();
}

void give_to(MemoryResource& system, PoolBlock* block) {
  system.deallocate(block->at, class_bytes(block->size_class) + Buffer::kPadding,
                    Buffer::kAlignment);
  delete block;
}

class FreeBlocks {
 public:
  bool empty() const { return first_ == nullptr; }
  void push(PoolBlock* block) {
    block->next = first_;
    first_ = block;
  }
  PoolBlock* pop() { return std::exchange(first_, first_->next); }
  void give_all_to(MemoryResource& system) {
    while (!empty()) give_to(system, pop());
  }

 private:
  PoolBlock* first_ = nullptr;
};

}  // namespace

// Shared by the BufferPool object and every Buffer on loan. Each of these holders calls release()
// as the last thing that it does with the state, and the last holder deletes it. The lock is not
// held while the system allocates or frees blocks.
struct PoolState {
  explicit PoolState(std::shared_ptr<MemoryResource> from)
      : system(std::move(from)), keeps(system->place().kind != MemoryKind::host) {}

  const std::shared_ptr<MemoryResource> system;
  const bool keeps;  // all blocks: its memory is not plain host memory
  std::mutex mutex;
  std::array<FreeBlocks, kClasses> classes;
  BufferPoolStats stats;
  std::size_t bytes_asked_for = 0;  // from the system, without an answer yet
  std::atomic<std::size_t> holders{1};
  bool closed = false;

  const ForkGuard fork_guard;
  unsigned next_given = 0;  // the class that gives a block to the system next

  // Returns the nearest class that has a free block for class `wanted`; else kClasses.
  unsigned lender(unsigned wanted) const {
    const unsigned end = std::min(wanted + kBorrow + 1, kClasses);
    for (unsigned c = wanted; c < end; ++c) {
      if (!classes[c].empty()) return c;
    }
    return kClasses;
  }

  void lend(std::size_t bytes) {
    holders.fetch_add(1, std::memory_order_relaxed);
    stats.bytes_in_use += bytes;
    stats.bytes_peak = std::max(stats.bytes_peak, stats.bytes_in_use);
  }

  // Removes one holder.
  void release() noexcept {
    if (holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  // Returns a free block of class `size_class`, or of one above it; null if there is none.
  PoolBlock* take(unsigned size_class) {
    const std::lock_guard lock(mutex);
    const unsigned from = lender(size_class);
    if (from == kClasses) return nullptr;
    lend(class_bytes(from));
    return classes[from].pop();
  }

  PoolBlock* take_new(unsigned size_class) {
    const std::size_t bytes = class_bytes(size_class);
    ask(bytes);
    PoolBlock* block = nullptr;
    try {
      block = keeps ? take_or_trim(size_class) : take_from(*system, size_class);
    } catch (...) {
      const std::lock_guard lock(mutex);
      bytes_asked_for -= bytes;
      throw;
    }
    add(bytes);
    return block;
  }

  // If the system has no memory left, returns free blocks to it and tries again.
  PoolBlock* take_or_trim(unsigned size_class) {
    try {
      return take_from(*system, size_class);
    } catch (const std::bad_alloc&) {
      trim(false);
      return take_from(*system, size_class);
    }
  }

  // Makes room for a block of this size.
  void ask(std::size_t bytes) {
    FreeBlocks surplus;
    {
      const std::lock_guard lock(mutex);
      bytes_asked_for += bytes;
      if (keeps) return;
      const std::size_t most = std::max(stats.bytes_peak, stats.bytes_in_use + bytes_asked_for);
      surplus = take_surplus(most - bytes_asked_for);
    }
    surplus.give_all_to(*system);
  }

  // Counts a new block, which is on loan.
  void add(std::size_t bytes) {
    FreeBlocks surplus;
    {
      const std::lock_guard lock(mutex);
      bytes_asked_for -= bytes;
      stats.bytes_reserved += bytes;
      ++stats.system_allocations;
      lend(bytes);
      if (keeps) return;
      surplus = take_surplus(stats.bytes_peak);  // earlier loans may have ended by now
    }
    surplus.give_all_to(*system);
  }

  // Takes a block back.
  void return_loan(PoolBlock* block) {
    const std::size_t bytes = class_bytes(block->size_class);
    {
      const std::lock_guard lock(mutex);
      stats.bytes_in_use -= bytes;
      if (!closed) {
        classes[block->size_class].push(block);
        return;
      }
      stats.bytes_reserved -= bytes;
    }
    give_to(*system, block);
  }

  // Removes free blocks, from all classes in turn, until no more than `most` bytes are reserved or
  // none is left. Requires the lock.
  FreeBlocks take_surplus(std::size_t most) {
    FreeBlocks surplus;
    while (stats.bytes_reserved > most && stats.bytes_reserved > stats.bytes_in_use) {
      FreeBlocks& blocks = classes[next_given];
      if (!blocks.empty()) {
        surplus.push(blocks.pop());
        stats.bytes_reserved -= class_bytes(next_given);
      }
      next_given = (next_given + 1) % kClasses;
    }
    return surplus;
  }

  // Returns free blocks to the system; with `close`, also all that come back later.
  void trim(bool close) {
    FreeBlocks surplus;
    {
      const std::lock_guard lock(mutex);
      closed = closed || close;
      surplus = take_surplus(0);
    }
    surplus.give_all_to(*system);
  }
};

namespace {
thread_local BufferPoolScope* innermost_scope = nullptr;
}

}  // namespace detail

bool Buffer::contains(const void* at) const {
  return std::less_equal<const void*>()(data_, at) && std::less<const void*>()(at, data_ + size_);
}

std::size_t Buffer::capacity() const {
  return data_ == nullptr ? 0 : detail::class_bytes(block_->size_class);
}

MemoryResource* Buffer::resource() const {
  return data_ == nullptr ? nullptr : pool_->system.get();
}

void Buffer::reset() noexcept {
  if (data_ == nullptr) return;
  if (pool_->fork_guard.here()) {
    pool_->return_loan(block_);
    pool_->release();
  } else {
    detail::give_to(*pool_->system, block_);
  }
  data_ = nullptr;
  size_ = 0;
  pool_ = nullptr;
}

BufferPool::BufferPool(std::shared_ptr<MemoryResource> from) : state_(nullptr) {
  if (from == nullptr) throw std::invalid_argument("a pool needs memory to take blocks from");
  state_ = new detail::PoolState(std::move(from));
}

BufferPool::~BufferPool() {
  if (!state_->fork_guard.here()) return;
  state_->trim(true);
  state_->release();
}

Buffer BufferPool::allocate(std::size_t bytes) {
  if (bytes > (std::size_t{1} << 62)) throw std::bad_alloc();
  const unsigned size_class = detail::class_of(bytes);
  Buffer buffer;
  if (!state_->fork_guard.here()) {
    buffer.block_ = detail::take_from(*state_->system, size_class);
  } else {
    buffer.block_ = state_->take(size_class);
    if (buffer.block_ == nullptr) buffer.block_ = state_->take_new(size_class);
  }
  buffer.data_ = buffer.block_->at;
  buffer.size_ = bytes;
  buffer.pool_ = state_;
  if (detail::innermost_scope != nullptr && detail::innermost_scope->pool_ == this) {
    detail::innermost_scope->bytes_ += buffer.capacity();
  }
  return buffer;
}

void BufferPool::trim() {
  if (!state_->fork_guard.here()) return;
  state_->trim(false);
}

BufferPoolStats BufferPool::stats() const {
  if (!state_->fork_guard.here()) return {};
  const std::lock_guard lock(state_->mutex);
  return state_->stats;
}

MemoryPlace BufferPool::place() const { return state_->system->place(); }

BufferPool& BufferPool::current() {
  if (detail::innermost_scope != nullptr) return *detail::innermost_scope->pool_;
  // Never destroyed: Buffers of static objects may be released after main.
  static auto* const shared = new BufferPool;
  return *shared;
}

BufferPoolScope::BufferPoolScope(BufferPool& pool) noexcept
    : pool_(&pool), outer_(detail::innermost_scope) {
  detail::innermost_scope = this;
}

BufferPoolScope::~BufferPoolScope() { detail::innermost_scope = outer_; }

}  // namespace sluice
