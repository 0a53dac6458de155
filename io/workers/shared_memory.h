// SharedMemory: the memory resource of a worker's reader, so that its images and tensors are
// visible to the other process. Internal.
//
// Ownership: owns its segments; the buffers of a BufferPool over it give them back. Threads: all.
// Errors: none; without shared memory it returns private memory, for which place_of() returns
// nothing.
#pragma once

#include <sluice/io/workers/channel.h>
#include <sluice/io/workers/message.h>
#include <sluice/io/workers/segment.h>
#include <sluice/runtime/memory_resource.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>

namespace sluice::detail {

class SharedMemory final : public MemoryResource {
 public:
  // Sends each new segment through `channel`. `most`: the largest segment, in bytes.
  SharedMemory(const Channel& channel, std::size_t most) : channel_(&channel), most_(most) {}

  void* allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(void* at, std::size_t bytes, std::size_t alignment) noexcept override;

  struct Place {
    std::uint64_t segment = 0;
    std::uint64_t offset = 0;
  };
  // The place of these bytes; nothing unless they are all in one segment.
  std::optional<Place> place_of(const std::byte* at, std::size_t bytes) const;
  // Why the last allocation that failed to be shared was not shared.
  std::string refusal() const;

 private:
  struct Shared {
    Segment segment;
    std::uint64_t number;
  };
  void* make(std::size_t bytes);

  const Channel* channel_;
  const std::size_t most_;
  mutable std::mutex mutex_;
  std::map<const std::byte*, Shared> segments_;  // by their first byte
  std::uint64_t next_ = 1;
  std::string refusal_;
};

// Sends, and waits while the other side is busy. Returns false if it is gone.
bool send_patiently(const Channel& channel, std::span<const std::byte> message,
                    int descriptor = -1);

}  // namespace sluice::detail
