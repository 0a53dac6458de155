// PinnedMemory: the host memory that a HostDevice's kernels may read. Internal to HostDevice.
//
// It is ordinary memory that records what is allocated. Threads: any; it has a lock. A child of
// fork() does not use the lock, because no kernel runs there. Errors: std::bad_alloc.
#pragma once

#include <sluice/runtime/memory_resource.h>
#include <sluice/runtime/process.h>

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>

namespace sluice::device {

class PinnedMemory : public MemoryResource {
 public:
  explicit PinnedMemory(int device) : MemoryResource({MemoryKind::pinned, device}) {}

  void* allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(void* at, std::size_t bytes, std::size_t alignment) noexcept override;

  // True if all of these bytes (at least one) lie in one allocated block.
  bool holds(const void* at, std::size_t bytes) const;

 private:
  const HomeProcess home_;
  mutable std::mutex mutex_;
  std::map<const std::byte*, std::size_t, std::less<>> blocks_;
};

}  // namespace sluice::device
