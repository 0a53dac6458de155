#include <sluice/runtime/buffer_pool.h>

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

  ~PoolState() { trim(); }

  void trim() {
    for (unsigned c = 0; c < kClasses; ++c) {
      SizeClass& blocks = classes[c];
      for (std::byte* block : blocks.free) give_to_system(block);
      blocks.total -= blocks.free.size();
      stats.bytes_reserved -= blocks.free.size() * class_bytes(c);
      blocks.free.clear();
    }
  }
};

namespace {
thread_local BufferPoolScope* innermost_scope = nullptr;
}

}  // namespace detail

void Buffer::reset() noexcept {
  if (data_ == nullptr) return;
  detail::PoolState& pool = *pool_;
  bool last = false;
  {
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
  const unsigned size_class = detail::class_of(bytes);
  const std::size_t capacity = detail::class_bytes(size_class);
  Buffer buffer;
  {
    const std::lock_guard lock(state_->mutex);
    detail::PoolState::SizeClass& blocks = state_->classes[size_class];
    if (blocks.free.empty()) {
      // Room for every block of the class, so that giving one back cannot fail.
      if (blocks.free.capacity() <= blocks.total) blocks.free.reserve(2 * blocks.total + 8);
      buffer.data_ = detail::take_from_system(capacity);
      ++blocks.total;
      ++state_->stats.system_allocations;
      state_->stats.bytes_reserved += capacity;
    } else {
      buffer.data_ = blocks.free.back();
      blocks.free.pop_back();
    }
    ++state_->on_loan;
    BufferPoolStats& stats = state_->stats;
    stats.bytes_in_use += capacity;
    stats.bytes_peak = std::max(stats.bytes_peak, stats.bytes_in_use);
  }
  buffer.size_ = bytes;
  buffer.size_class_ = size_class;
  buffer.pool_ = state_;
  if (detail::innermost_scope != nullptr && detail::innermost_scope->pool_ == this) {
    detail::innermost_scope->bytes_ += capacity;
  }
  return buffer;
}

void BufferPool::trim() {
  const std::lock_guard lock(state_->mutex);
  state_->trim();
}

BufferPoolStats BufferPool::stats() const {
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
