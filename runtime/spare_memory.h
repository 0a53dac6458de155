// SpareMemory: holds memory that a thread needs besides its stack, while stacks are made. Otherwise
// stacks could use up all memory: then the C library itself ends the process, and the threads have
// no memory for their work.
//
// Ownership: 16 MiB of addresses, released by the destructor. Threads: like any value. Errors:
// std::bad_alloc if the system has none.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include <sys/mman.h>

namespace sluice::detail {

class SpareMemory {
 public:
  SpareMemory() {
    if (at_ == MAP_FAILED) throw std::bad_alloc();
  }
  SpareMemory(SpareMemory&& other) noexcept : at_(std::exchange(other.at_, MAP_FAILED)) {}
  SpareMemory& operator=(SpareMemory&&) = delete;
  ~SpareMemory() {
    if (at_ != MAP_FAILED) munmap(at_, kBytes);
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{16} << 20;
  void* at_ = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
};

}  // namespace sluice::detail
