// HostMemory: the device memory of a HostDevice, and who may touch it when. Internal to it.
//
// A range of addresses without access stands for the device's memory; what they stand for lies
// `moved()` further on. For each part of a block it keeps which piece of work has written it last
// and which have read it since, and refuses an access that does not come after those (as race
// detectors with vector clocks do, FastTrack for instance).
//
// Ownership: owns both ranges. Threads: any; it has a lock. Errors: DeviceError for accesses,
// std::bad_alloc when it is full, std::system_error when the system has no such memory.
#pragma once

#include <cstddef>
#include <cstdint>
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

// What has happened before: of each stream, how many pieces of work.
class Clock {
 public:
  void merge(const Clock& other);
  // From now on merge() and set() take no memory for so many streams.
  void make_room(std::size_t streams) { numbers_.reserve(streams); }
  void set(int stream, std::int64_t number);
  bool includes(const Mark& mark) const;

 private:
  std::vector<std::int64_t> numbers_;  // by stream
};

class HostMemory {
 public:
  explicit HostMemory(std::size_t bytes);
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  void* allocate(std::size_t bytes);
  // What was wrong with it, given what the host knows to have happened; empty when nothing was.
  std::string free(void* at, const Clock& known) noexcept;

  bool holds(const void* at) const;
  std::size_t bytes_in_use() const;  // in whole pages
  // Where the bytes lie, for the piece of work before which `before` has happened; throws
  // DeviceError unless it may read or write them now.
  std::byte* enter(const void* at, std::size_t bytes, bool writes, const Mark& who,
                   const Clock& before);

 private:
  // Of the bytes [begin, end) of a block.
  struct Access {
    std::size_t begin, end;
    Mark who;
    bool writes;
  };
  struct Block {
    std::size_t bytes = 0;
    std::vector<Access> accesses;  // what was written last, and read since
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
  std::map<std::size_t, std::size_t> free_;  // offset and bytes
};

}  // namespace sluice::device
