// resident and set_up(): guards for the use of oneTBB in a process, where oneTBB itself would wait
// for ever or use memory that was freed.
//
// Ownership: none. Threads: any. Errors: Error with what to do; std::bad_alloc.
#pragma once

#include <sluice/runtime/error.h>
#include <sluice/runtime/process.h>

#include <atomic>
#include <cstdint>

#include <tbb/task_arena.h>

namespace sluice::flow {

// Counts the living users of oneTBB in this process. In a child of fork(), oneTBB's lists still
// hold the threads that slept in it, although their memory is reused for new threads. So if there
// were any users, the child cannot make an executor.
class resident {
 public:
  resident() {
    const std::uint64_t here = std::uint64_t{HomeProcess::generation()} << 32;
    std::uint64_t seen = all.load();
    std::uint64_t next = 0;
    do {
      const std::uint64_t count = seen & kCount;
      const bool inherited = (seen & ~kCount) != here;
      if (inherited && count > 0) {
        throw Error(
            "a child of fork() cannot make a pipeline, since one was alive when the process "
            "forked; destroy pipelines before fork(), or start the child's program with exec()");
      }
      next = here + count + 1;
    } while (!all.compare_exchange_weak(seen, next));
  }
  resident(const resident&) = delete;
  resident& operator=(const resident&) = delete;
  ~resident() { all.fetch_sub(1); }

 private:
  static constexpr std::uint64_t kCount = 0xffffffff;
  // The number of users, and above it the process that counted. It is one word, because a lock
  // might be held while another thread forks.
  static inline std::atomic<std::uint64_t> all{0};
};

// oneTBB initializes itself when a process first uses it. If it gets no memory for that, it keeps a
// lock for ever, and the next use would wait for that lock.
inline void set_up(tbb::task_arena& arena) {
  static std::atomic<bool> is_set_up{false};
  static std::atomic<bool> is_stuck{false};
  if (is_stuck) {
    throw Error(
        "oneTBB got no memory when it was first used, and cannot be used again in this process; "
        "start the program again");
  }
  try {
    arena.initialize();
  } catch (...) {
    if (!is_set_up) is_stuck = true;
    throw;
  }
  is_set_up = true;
}

}  // namespace sluice::flow
