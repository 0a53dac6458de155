#include "tests/failing_allocations.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLUICE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define SLUICE_SANITIZED 1
#endif
#endif
#if defined(__GLIBC__) && !defined(SLUICE_SANITIZED)
#define SLUICE_HAS_OWN_MALLOC 1
#endif

#ifdef SLUICE_HAS_OWN_MALLOC
// glibc's own functions, under the names that it offers to replacements of malloc.
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* __libc_realloc(void* block, std::size_t size);
#endif

namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

std::atomic<std::uint64_t> count{0};
std::atomic<std::int64_t> live{0};

// Numbers of the allocations that fail: begin <= number < end.
std::atomic<std::uint64_t> begin{kNever};
std::atomic<std::uint64_t> end{kNever};
std::atomic<std::uint64_t> number{0};
std::atomic<bool> malloc_fails{false};
std::atomic<bool> failed{false};

bool fails() {
  if (begin.load(std::memory_order_relaxed) == kNever) return false;
  const std::uint64_t mine = number.fetch_add(1, std::memory_order_relaxed) + 1;
  if (mine < begin.load(std::memory_order_relaxed) || mine >= end.load(std::memory_order_relaxed))
    return false;
  failed.store(true, std::memory_order_relaxed);
  return true;
}

void* plain_malloc(std::size_t size) {
#ifdef SLUICE_HAS_OWN_MALLOC
  return __libc_malloc(size);
#else
  return std::malloc(size);
#endif
}

void* take(std::size_t size, std::size_t alignment) {
  count.fetch_add(1, std::memory_order_relaxed);
  if (fails()) throw std::bad_alloc();
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* block = alignment <= 2 * alignof(std::size_t)
                    ? plain_malloc(size == 0 ? 1 : size)
                    : std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (block == nullptr) throw std::bad_alloc();
  live.fetch_add(1, std::memory_order_relaxed);
  return block;
}

void* take_or_null(std::size_t size, std::size_t alignment) noexcept {
  try {
    return take(size, alignment);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void give(void* block) noexcept {
  if (block != nullptr) live.fetch_sub(1, std::memory_order_relaxed);
  std::free(block);
}

}  // namespace

namespace sluice::testing {

std::uint64_t allocations() { return count.load(std::memory_order_relaxed); }
std::int64_t live_allocations() { return live.load(std::memory_order_relaxed); }

FailingAllocations::FailingAllocations(std::uint64_t first, std::uint64_t how_many, Of of) {
  number = 0;
  failed = false;
  malloc_fails = of == Of::all;
  end = first + how_many;
  begin = first;
}

FailingAllocations::~FailingAllocations() { stop(); }

void FailingAllocations::stop() {
  begin = end = kNever;
  malloc_fails = false;
}

bool FailingAllocations::reached() { return failed.load(); }

}  // namespace sluice::testing

#ifdef SLUICE_HAS_OWN_MALLOC
extern "C" void* malloc(std::size_t size) {
  if (malloc_fails.load(std::memory_order_relaxed) && fails()) return nullptr;
  return __libc_malloc(size);
}
extern "C" void* realloc(void* block, std::size_t size) {
  if (malloc_fails.load(std::memory_order_relaxed) && fails()) return nullptr;
  return __libc_realloc(block, size);
}
#endif

void* operator new(std::size_t size) { return take(size, 1); }
void* operator new[](std::size_t size) { return take(size, 1); }
void* operator new(std::size_t size, std::align_val_t a) {
  return take(size, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t size, std::align_val_t a) {
  return take(size, static_cast<std::size_t>(a));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return take_or_null(size, 1);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return take_or_null(size, 1);
}
void operator delete(void* block) noexcept { give(block); }
void operator delete[](void* block) noexcept { give(block); }
void operator delete(void* block, std::size_t) noexcept { give(block); }
void operator delete[](void* block, std::size_t) noexcept { give(block); }
void operator delete(void* block, std::align_val_t) noexcept { give(block); }
void operator delete[](void* block, std::align_val_t) noexcept { give(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { give(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { give(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { give(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { give(block); }

// If oneTBB runs out of memory while it makes a node, it leaks the node's body. (The name lacks its
// namespace where the function is inlined.)
extern "C" const char* __lsan_default_suppressions() { return "leak:function_input\n"; }
