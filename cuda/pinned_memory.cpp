#include <sluice/cuda/pinned_memory.h>

#include <iterator>
#include <new>

namespace sluice::device {

void* PinnedMemory::allocate(std::size_t bytes, std::size_t alignment) {
  void* const at = ::operator new(bytes, std::align_val_t(alignment));
  if (!home_.here()) return at;
  try {
    const std::lock_guard lock(mutex_);
    blocks_.emplace(static_cast<const std::byte*>(at), bytes);
  } catch (...) {
    ::operator delete(at, std::align_val_t(alignment));
    throw;
  }
  return at;
}

void PinnedMemory::deallocate(void* at, std::size_t, std::size_t alignment) noexcept {
  if (home_.here()) {
    const std::lock_guard lock(mutex_);
    blocks_.erase(static_cast<const std::byte*>(at));
  }
  ::operator delete(at, std::align_val_t(alignment));
}

bool PinnedMemory::holds(const void* at, std::size_t bytes) const {
  if (!home_.here()) return false;
  const auto* const first = static_cast<const std::byte*>(at);
  const std::lock_guard lock(mutex_);
  const auto after = blocks_.upper_bound(first);
  if (bytes == 0 || after == blocks_.begin()) return false;
  const auto& [begin, size] = *std::prev(after);
  const auto offset = static_cast<std::size_t>(first - begin);
  return offset < size && bytes <= size - offset;
}

}  // namespace sluice::device
