// BufferRing: a fixed number of buffers of one size, which belong to the user, as a MemoryResource.
// Each batch is written straight into one of them; a buffer is used again when the batch, and every
// tensor and DLPack capsule of it, are gone.
//
//   auto ring = std::make_shared<BufferRing>(std::vector{first, second, third, ...}, bytes_of_one);
//   make_pipeline({.batch_size = 64, .output_memory = {ring}}, ...);
//
// Ownership: the buffers are the user's, and must live as long as the ring, which lives as long as
// any batch in it. Threads: as MemoryResource says. Errors: Error when a block is asked for that is
// larger than a buffer or more strictly aligned, and when no buffer is free;
// std::invalid_argument for no buffers, or a null one.
#pragma once

#include <sluice/runtime/memory_resource.h>

#include <cstddef>
#include <mutex>
#include <vector>

namespace sluice {

class BufferRing : public MemoryResource {
 public:
  // `place`: what kind of memory the buffers are.
  BufferRing(std::vector<void*> buffers, std::size_t bytes_each, MemoryPlace place = {});

  void* allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(void* at, std::size_t bytes, std::size_t alignment) noexcept override;
  std::size_t most_blocks() const override { return count_; }

  std::size_t bytes_each() const { return bytes_each_; }
  // Buffers that no batch lies in.
  std::size_t free() const;

 private:
  const std::size_t count_;
  const std::size_t bytes_each_;
  mutable std::mutex mutex_;
  std::vector<void*> buffers_;  // all; the next free one is at next_
  std::size_t next_ = 0;
  std::size_t free_ = 0;
};

}  // namespace sluice
