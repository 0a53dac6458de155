// The memory that a worker shares with the process that started it. Internal.
//
// Segment is one piece of it. EventFd and Returns tell a worker which of its values are no longer
// used. SharedMemory is the memory resource of a worker's reader.
//
// Segments have no name in the file system, so the system frees one when the last process that maps
// it ends. A worker makes segments and sends the descriptor of each to the process that started it.
// The size is sealed, so no process can shrink a segment while another one reads it.
//
// Ownership: a Segment unmaps its memory. The pool and all handles share EventFd and Returns;
// handles may outlive the pool. SharedMemory owns its segments; the buffers of a BufferPool over it
// give them back. Threads: all. Errors: Segment throws std::system_error, and ProtocolError for an
// unsuitable descriptor. If Returns has no memory to note a value, the value is given back when its
// worker ends. Without shared memory, SharedMemory returns private memory, for which place_of()
// returns nothing.
#pragma once

#include <sluice/io/workers/channel.h>
#include <sluice/io/workers/message.h>
#include <sluice/runtime/memory.h>
#include <sluice/runtime/process.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sluice::detail {

// Segment: memory that two processes share.
class Segment {
 public:
  // Makes a segment of at least `bytes` bytes, and the descriptor to send.
  static std::pair<Segment, Descriptor> make(std::size_t bytes);
  // Maps a segment that another process made, of at most `most` bytes. Writes to a `copied` one are
  // private.
  enum class Pages : std::uint8_t { shared, copied };
  static Segment of(const Descriptor& descriptor, std::size_t most, Pages pages = Pages::shared);

  Segment(Segment&& other) noexcept
      : at_(std::exchange(other.at_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Segment& operator=(Segment&&) = delete;
  ~Segment();

  std::byte* data() const { return at_; }
  std::size_t size() const { return size_; }
  // True if these bytes lie in the segment.
  bool holds(std::size_t offset, std::size_t bytes) const {
    return bytes <= size_ && offset <= size_ - bytes;
  }

 private:
  Segment(int descriptor, std::size_t bytes, Pages pages);
  std::byte* at_ = nullptr;
  std::size_t size_ = 0;
};

// EventFd: wakes the pool's thread.
class EventFd {
 public:
  EventFd();  // throws std::system_error
  int number() const { return event_.number(); }
  // Wakes the pool's thread.
  void call() noexcept;
  // Call it on the thread once awake, before it looks for work.
  void heard() noexcept;

  std::atomic<std::size_t> held_bytes{0};    // of values in use
  std::atomic<bool> short_of_memory{false};  // give_back() calls call() at once

 private:
  Descriptor event_;
  std::atomic<bool> called_{false};
};

// Returns: collects the values of one worker that are no longer used.
class ReleasedValues {
 public:
  explicit ReleasedValues(std::shared_ptr<EventFd> event_fd) : event_fd_(std::move(event_fd)) {}
  void hold(std::size_t bytes) noexcept { event_fd_->held_bytes += bytes; }
  void give_back(std::uint64_t id, std::size_t bytes) noexcept;
  // Takes up to `most` values that were given back, or none if there are fewer than `least`.
  std::vector<std::uint64_t> take(std::size_t least, std::size_t most);
  // Puts back values whose message could not be sent; take() returns them again.
  void put_back(const std::vector<std::uint64_t>& ids);

 private:
  const ForkGuard fork_guard_;  // a child of fork() gives nothing back
  const std::shared_ptr<EventFd> event_fd_;
  std::mutex mutex_;
  std::vector<std::uint64_t> ids_;
};

// SharedMemory: the memory resource of a worker's reader, so that its images and tensors are
// visible to the other process.
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
