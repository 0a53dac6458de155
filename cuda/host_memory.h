// The memory of a HostDevice: HostMemory, its device memory, which checks who may access it when;
// and PinnedMemory. Internal to HostDevice.
//
// Ownership: HostMemory owns its address ranges; PinnedMemory's blocks belong to the caller.
// Threads: any; each has a lock. Errors: DeviceError for accesses, std::bad_alloc if there is no
// room, std::system_error if the system has no such memory.
#pragma once

#include <sluice/runtime/memory.h>
#include <sluice/runtime/process.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace sluice::device {

// A piece of work: the `number`th of a stream, from 1.
struct Mark {
  int stream = -1;
  std::int64_t number = 0;
};

// A vector clock: for each stream, the number of pieces of work that have happened before.
class Clock {
 public:
  void merge(const Clock& other);
  // After this, merge() and set() allocate no memory for that many streams.
  void make_room(std::size_t streams) { numbers_.reserve(streams); }
  void set(int stream, std::int64_t number);
  bool includes(const Mark& mark) const;

 private:
  std::vector<std::int64_t> numbers_;  // by stream
};

// An address range without access rights represents the device's memory; the real memory is mapped
// elsewhere, at the same offsets. For each part of a block it keeps the piece of work that wrote it
// last, and those that have read it since. It refuses an access that does not come after those,
// like race detectors with vector clocks (FastTrack, for instance).
class HostMemory {
 public:
  explicit HostMemory(std::size_t bytes);
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  void* allocate(std::size_t bytes);
  // Returns what is wrong with it, given what the host knows to have happened; empty if nothing is.
  std::string free(void* at, const Clock& known) noexcept;

  bool holds(const void* at) const;
  std::size_t bytes_in_use() const;  // in whole pages
  // Returns the real location of the bytes, for a piece of work that `before` precedes. Throws
  // DeviceError unless it may read or write them now.
  std::byte* enter(const void* at, std::size_t bytes, bool writes, const Mark& who,
                   const Clock& before);

 private:
  // An access to the bytes [begin, end) of a block.
  struct Access {
    std::size_t begin, end;
    Mark who;
    bool writes;
  };
  struct Block {
    std::size_t bytes = 0;
    std::vector<Access> accesses;  // the last writes, and the reads since then
  };
  using Blocks = std::map<std::size_t, Block>;
  std::string wrong_with(void* at, Blocks::const_iterator found, const Clock& known) const;
  void add_free(std::size_t offset, std::size_t length);
  static void forget(std::vector<Access>& accesses, const Access& now);

  const std::size_t bytes_;
  std::byte* addresses_ = nullptr;
  std::byte* memory_ = nullptr;
  mutable std::mutex mutex_;
  Blocks blocks_;                            // by offset
  std::map<std::size_t, std::size_t> free_;  // offset to bytes
};

// The host memory that a HostDevice's kernels may read: ordinary memory that records what is
// allocated. A child of fork() does not use the lock, because no kernel runs there.
class PinnedMemory : public MemoryResource {
 public:
  explicit PinnedMemory(int device) : MemoryResource({MemoryKind::pinned, device}) {}

  void* allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(void* at, std::size_t bytes, std::size_t alignment) noexcept override;

  // True if all of these bytes (at least one) lie in one allocated block.
  bool holds(const void* at, std::size_t bytes) const;

 private:
  const ForkGuard fork_guard_;
  mutable std::mutex mutex_;
  std::map<const std::byte*, std::size_t, std::less<>> blocks_;
};

}  // namespace sluice::device
