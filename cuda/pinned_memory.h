// PinnedMemory: the memory of the host that a HostDevice's kernels may read. Internal to it.
//
// It is ordinary memory which knows what of it is allocated. Threads: any; it has a lock, which a
// child of fork() leaves alone: there no kernel runs. Errors: std::bad_alloc.
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

  // Whether all of these bytes, at least one, lie in one block of it.
  bool holds(const void* at, std::size_t bytes) const;

 private:
  const HomeProcess home_;
  mutable std::mutex mutex_;
  std::map<const std::byte*, std::size_t, std::less<>> blocks_;
};

}  // namespace sluice::device
