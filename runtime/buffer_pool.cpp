#include <sluice/runtime/buffer_pool.h>
#include <sluice/runtime/process.h>

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace sluice {
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

std::byte* take_from(MemoryResource& system, unsigned size_class) {
  void* const block =
      system.allocate(class_bytes(size_class) + Buffer::kPadding, Buffer::kAlignment);
  if (block == nullptr) throw std::bad_alloc();
  return static_cast<std::byte*>(block);
}

void give_to(MemoryResource& system, std::byte* block, unsigned size_class) {
  system.deallocate(block, class_bytes(size_class) + Buffer::kPadding, Buffer::kAlignment);
}

// Free blocks; each holds in its first bytes the address of the next one, and its own class.
class FreeBlocks {
 public:
  bool empty() const { return first_ == nullptr; }
  void push(std::byte* block, unsigned size_class) {
    first_ = ::new (static_cast<void*>(block)) Link{first_, size_class};
  }
  std::byte* pop() {
    Link* const block = first_;
    first_ = block->next;
    return static_cast<std::byte*>(static_cast<void*>(block));
  }
  void give_all_to(MemoryResource& system) {
    while (!empty()) {
      const unsigned size_class = first_->size_class;
      give_to(system, pop(), size_class);
    }
  }

 private:
  struct Link {
    Link* next;
    unsigned size_class;
  };
  Link* first_ = nullptr;
};

}  // namespace

// Shared by the BufferPool object and every Buffer on loan; the last of them deletes it. The system
// is asked for blocks, and given them back, without the lock.
struct PoolState {
  explicit PoolState(std::shared_ptr<MemoryResource> from) : system(std::move(from)) {}

  const std::shared_ptr<MemoryResource> system;
  std::mutex mutex;
  std::array<FreeBlocks, kClasses> classes;
  BufferPoolStats stats;
  std::size_t bytes_asked_for = 0;  // of the system, which has not answered yet
  std::size_t on_loan = 0;          // blocks
  bool closed = false;

  const HomeProcess home;
  unsigned next_given = 0;  // the class that gives a block to the system next

  // A class that has a free block for a request of class `wanted`, the nearest; else kClasses.
  unsigned lender(unsigned wanted) const {
    const unsigned end = std::min(wanted + kBorrow + 1, kClasses);
    for (unsigned c = wanted; c < end; ++c) {
      if (!classes[c].empty()) return c;
    }
    return kClasses;
  }

  void lend(std::size_t bytes) {
    ++on_loan;
    stats.bytes_in_use += bytes;
    stats.bytes_peak = std::max(stats.bytes_peak, stats.bytes_in_use);
  }

  // A free block of class `size_class`, or of one above it, which `size_class` then is; null when
  // there is none.
  std::byte* take(unsigned& size_class) {
    const std::lock_guard lock(mutex);
    const unsigned from = lender(size_class);
    if (from == kClasses) return nullptr;
    lend(class_bytes(from));
    size_class = from;
    return classes[from].pop();
  }

  std::byte* take_new(unsigned size_class) {
    const std::size_t bytes = class_bytes(size_class);
    ask(bytes);
    std::byte* block = nullptr;
    try {
      block = take_from(*system, size_class);
    } catch (...) {
      const std::lock_guard lock(mutex);
      bytes_asked_for -= bytes;
      throw;
    }
    add(bytes);
    return block;
  }

  // Makes room for a block of this size.
  void ask(std::size_t bytes) {
    FreeBlocks surplus;
    {
      const std::lock_guard lock(mutex);
      bytes_asked_for += bytes;
      const std::size_t most = std::max(stats.bytes_peak, stats.bytes_in_use + bytes_asked_for);
      surplus = take_surplus(most - bytes_asked_for);
    }
    surplus.give_all_to(*system);
  }

  // The block is there, and on loan.
  void add(std::size_t bytes) {
    FreeBlocks surplus;
    {
      const std::lock_guard lock(mutex);
      bytes_asked_for -= bytes;
      stats.bytes_reserved += bytes;
      ++stats.system_allocations;
      lend(bytes);
      surplus = take_surplus(stats.bytes_peak);  // what was in use before may be free by now
    }
    surplus.give_all_to(*system);
  }

  // A block comes back. True when nobody holds the pool any more.
  bool return_loan(std::byte* block, unsigned size_class) {
    const std::size_t bytes = class_bytes(size_class);
    bool last = false;
    {
      const std::lock_guard lock(mutex);
      stats.bytes_in_use -= bytes;
      --on_loan;
      if (!closed) {
        classes[size_class].push(block, size_class);
        return false;
      }
      stats.bytes_reserved -= bytes;
      last = on_loan == 0;
    }
    give_to(*system, block, size_class);
    return last;
  }

  // Free blocks, from all classes in turn, until no more than `most` is reserved or none is left.
  // Wants the lock.
  FreeBlocks take_surplus(std::size_t most) {
    FreeBlocks surplus;
    while (stats.bytes_reserved > most && stats.bytes_reserved > stats.bytes_in_use) {
      FreeBlocks& blocks = classes[next_given];
      if (!blocks.empty()) {
        surplus.push(blocks.pop(), next_given);
        stats.bytes_reserved -= class_bytes(next_given);
      }
      next_given = (next_given + 1) % kClasses;
    }
    return surplus;
  }

  // Gives what is free to the system; with `close` all that comes back later, too. True when nobody
  // holds the pool any more.
  bool trim(bool close) {
    FreeBlocks surplus;
    bool last = false;
    {
      const std::lock_guard lock(mutex);
      closed = closed || close;
      surplus = take_surplus(0);
      last = closed && on_loan == 0;
    }
    surplus.give_all_to(*system);
    return last;
  }
};

namespace {
thread_local BufferPoolScope* innermost_scope = nullptr;
}

}  // namespace detail

std::size_t Buffer::capacity() const {
  return data_ == nullptr ? 0 : detail::class_bytes(size_class_);
}

MemoryResource* Buffer::resource() const {
  return data_ == nullptr ? nullptr : pool_->system.get();
}

void Buffer::reset() noexcept {
  if (data_ == nullptr) return;
  if (!pool_->home.here()) {
    detail::give_to(*pool_->system, data_, size_class_);
  } else if (pool_->return_loan(data_, size_class_)) {
    delete pool_;
  }
  data_ = nullptr;
  size_ = 0;
  pool_ = nullptr;
}

BufferPool::BufferPool(std::shared_ptr<MemoryResource> from) : state_(nullptr) {
  if (from == nullptr || !from->place().on_host()) {
    throw std::invalid_argument("a pool keeps its notes in free blocks, so that it needs memory " +
                                std::string("of the host, not ") +
                                (from == nullptr ? "none" : to_string(from->place())));
  }
  state_ = new detail::PoolState(std::move(from));
}

BufferPool::~BufferPool() {
  if (state_->home.here() && state_->trim(true)) delete state_;
}

Buffer BufferPool::allocate(std::size_t bytes) {
  if (bytes > (std::size_t{1} << 62)) throw std::bad_alloc();
  unsigned size_class = detail::class_of(bytes);
  Buffer buffer;
  if (!state_->home.here()) {
    buffer.data_ = detail::take_from(*state_->system, size_class);
  } else {
    buffer.data_ = state_->take(size_class);
    if (buffer.data_ == nullptr) buffer.data_ = state_->take_new(size_class);
  }
  buffer.size_ = bytes;
  buffer.size_class_ = size_class;
  buffer.pool_ = state_;
  if (detail::innermost_scope != nullptr && detail::innermost_scope->pool_ == this) {
    detail::innermost_scope->bytes_ += buffer.capacity();
  }
  return buffer;
}

void BufferPool::trim() {
  if (!state_->home.here()) return;
  state_->trim(false);
}

BufferPoolStats BufferPool::stats() const {
  if (!state_->home.here()) return {};
  const std::lock_guard lock(state_->mutex);
  return state_->stats;
}

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
