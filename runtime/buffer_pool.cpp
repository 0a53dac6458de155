#include <sluice/runtime/buffer_pool.h>
#include <sluice/runtime/process.h>

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <new>
#include <vector>

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

std::byte* take_from_system(std::size_t bytes) {
  return static_cast<std::byte*>(
      ::operator new (bytes + Buffer::kPadding, std::align_val_t{Buffer::kAlignment}));
}

void give_to_system(std::byte* block) {
  ::operator delete (block, std::align_val_t{Buffer::kAlignment});
}

}  // namespace

// Shared by the BufferPool object and every Buffer on loan; the last of them deletes it.
struct PoolState {
  std::mutex mutex;
  struct SizeClass {
    std::vector<std::byte*> free;
    std::size_t total = 0;  // free and on loan
  };
  std::array<SizeClass, kClasses> classes;
  BufferPoolStats stats;
  std::size_t on_loan = 0;
  bool closed = false;

  const HomeProcess home;
  unsigned next_given = 0;  // the class that gives a block to the system next

  ~PoolState() { trim(); }

  // A class that has a free block for a request of class `wanted`, the nearest; else kClasses.
  unsigned lender(unsigned wanted) const {
    const unsigned end = std::min(wanted + kBorrow + 1, kClasses);
    for (unsigned c = wanted; c < end; ++c) {
      if (!classes[c].free.empty()) return c;
    }
    return kClasses;
  }

  std::byte* borrow(unsigned from) {
    std::byte* const block = classes[from].free.back();
    classes[from].free.pop_back();
    return block;
  }

  std::byte* take_new(unsigned size_class) {
    SizeClass& blocks = classes[size_class];
    // Room for every block of the class, so that giving one back cannot fail.
    if (blocks.free.capacity() <= blocks.total) blocks.free.reserve(2 * blocks.total + 8);
    const std::size_t capacity = class_bytes(size_class);
    const std::size_t most = std::max(stats.bytes_peak, stats.bytes_in_use + capacity);
    give_back(most - capacity);
    std::byte* const block = take_from_system(capacity);
    ++blocks.total;
    ++stats.system_allocations;
    stats.bytes_reserved += capacity;
    return block;
  }

  // Gives free blocks to the system, from all classes in turn, until no more than `most` is
  // reserved or none is left.
  void give_back(std::size_t most) {
    while (stats.bytes_reserved > most && stats.bytes_reserved > stats.bytes_in_use) {
      SizeClass& blocks = classes[next_given];
      if (!blocks.free.empty()) {
        give_to_system(blocks.free.back());
        blocks.free.pop_back();
        --blocks.total;
        stats.bytes_reserved -= class_bytes(next_given);
      }
      next_given = (next_given + 1) % kClasses;
    }
  }

  void trim() { give_back(0); }
};

namespace {
thread_local BufferPoolScope* innermost_scope = nullptr;
}

}  // namespace detail

std::size_t Buffer::capacity() const {
  return data_ == nullptr ? 0 : detail::class_bytes(size_class_);
}

void Buffer::reset() noexcept {
  if (data_ == nullptr) return;
  detail::PoolState& pool = *pool_;
  bool last = false;
  if (!pool.home.here()) {
    detail::give_to_system(data_);
  } else {
    const std::lock_guard lock(pool.mutex);
    pool.stats.bytes_in_use -= detail::class_bytes(size_class_);
    --pool.on_loan;
    if (pool.closed) {
      detail::give_to_system(data_);
      pool.stats.bytes_reserved -= detail::class_bytes(size_class_);
      last = pool.on_loan == 0;
    } else {
      pool.classes[size_class_].free.push_back(data_);
    }
  }
  if (last) delete pool_;
  data_ = nullptr;
  size_ = 0;
  pool_ = nullptr;
}

BufferPool::BufferPool() : state_(new detail::PoolState) {}

BufferPool::~BufferPool() {
  if (!state_->home.here()) return;
  bool last = false;
  {
    const std::lock_guard lock(state_->mutex);
    state_->closed = true;
    state_->trim();
    last = state_->on_loan == 0;
  }
  if (last) delete state_;
}

Buffer BufferPool::allocate(std::size_t bytes) {
  if (bytes > (std::size_t{1} << 62)) throw std::bad_alloc();
  unsigned size_class = detail::class_of(bytes);
  Buffer buffer;
  if (!state_->home.here()) {
    buffer.data_ = detail::take_from_system(detail::class_bytes(size_class));
  } else {
    const std::lock_guard lock(state_->mutex);
    if (const unsigned from = state_->lender(size_class); from < detail::kClasses) {
      buffer.data_ = state_->borrow(from);
      size_class = from;
    } else {
      buffer.data_ = state_->take_new(size_class);
    }
    ++state_->on_loan;
    BufferPoolStats& stats = state_->stats;
    stats.bytes_in_use += detail::class_bytes(size_class);
    stats.bytes_peak = std::max(stats.bytes_peak, stats.bytes_in_use);
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
  const std::lock_guard lock(state_->mutex);
  state_->trim();
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
