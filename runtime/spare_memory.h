// SpareMemory: memory that a thread needs besides its stack, held while stacks are made: where none
// is left, the C library itself ends the process, and what the threads are to do has no memory.
//
// Ownership: 16 MiB of addresses, given back with it. Threads: like any value. Errors:
// std::bad_alloc where the system has none.
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
