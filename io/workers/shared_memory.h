// SharedMemory: what a worker's reader takes memory from while it makes a sample, so that its
// pictures and tensors lie where the other process can see them. Internal.
//
// Ownership: owns its segments; the buffers of a BufferPool over it give them back. Threads: all.
// Errors: where there is no shared memory it gives memory of the process alone, which segment_of()
// does not know.
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
  // Tells the other side of each segment, by `channel`. `most`: bytes of a segment.
  SharedMemory(const Channel& channel, std::size_t most) : channel_(&channel), most_(most) {}

  void* allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(void* at, std::size_t bytes, std::size_t alignment) noexcept override;

  struct Place {
    std::uint64_t segment = 0;
    std::uint64_t offset = 0;
  };
  // Where bytes lie that are all in one segment.
  std::optional<Place> place_of(const std::byte* at, std::size_t bytes) const;
  // Why memory was not shared the last time that it was not.
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
  std::map<const std::byte*, Shared> segments_;  // by where they begin
  std::uint64_t next_ = 1;
  std::string refusal_;
};

// Sends, also when the other side takes its time. False when it is gone.
bool send_patiently(const Channel& channel, std::span<const std::byte> message,
                    int descriptor = -1);

}  // namespace sluice::detail
