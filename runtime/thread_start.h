// For code that starts threads: SignalsBlocked keeps the program's signals from them, and
// MemoryReserve keeps memory for them.
//
// Ownership: MemoryReserve owns 16 MiB of addresses, which its destructor releases. Threads:
// SignalsBlocked is destroyed on the thread that made it; MemoryReserve is like any value. Errors:
// MemoryReserve throws std::bad_alloc if the system has none.
#pragma once

#include <csignal>
#include <cstddef>
#include <new>
#include <utility>

#include <pthread.h>
#include <sys/mman.h>

namespace sluice {

// SignalsBlocked: blocks all signals on the calling thread while it lives. A thread that it makes
// meanwhile never takes any: the program's signals are for its own threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    (void)::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { (void)::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace sluice

namespace sluice::detail {

// MemoryReserve: holds memory that a thread needs besides its stack, while stacks are made.
// Otherwise stacks could use up all memory: then the C library itself ends the process, and the
// threads have no memory for their work.
class MemoryReserve {
 public:
  MemoryReserve() {
    if (at_ == MAP_FAILED) throw std::bad_alloc();
  }
  MemoryReserve(MemoryReserve&& other) noexcept : at_(std::exchange(other.at_, MAP_FAILED)) {}
  MemoryReserve& operator=(MemoryReserve&&) = delete;
  ~MemoryReserve() {
    if (at_ != MAP_FAILED) munmap(at_, kBytes);
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{16} << 20;
  void* at_ = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
};

}  // namespace sluice::detail
