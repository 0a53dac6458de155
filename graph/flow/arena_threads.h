// arena_threads: threads of the program, and not of oneTBB, that work in a task_arena.
// tbb_fork_guard and set_up() guard the use of oneTBB in a process.
//
//   tbb::task_arena arena(4, 4);           // all places are for threads of the program
//   arena_threads others(arena, 3);        // as many as the system lets it make, at most 3
//   arena.execute([&] { graph.wait_for_all(); });  // four threads run the graph's tasks
//
// oneTBB's workers belong to the whole process. The smallest limit that any code sets holds for
// all, they stay when their work is done, and the program is aborted if the system cannot make one.
// An arena without places for them (reserved_for_masters is all of it) never asks for any.
//
// Ownership: owns its threads; refers to the arena, which is initialized and outlives it. The
// destructor ends the threads: call it when the arena has no work. Threads: made and destroyed on
// one. Errors: a thread that cannot be made, or cannot enter the arena, is left out, and so are
// those whose stacks would leave no memory to work with; size() tells how many there are.
#pragma once

#include <sluice/runtime/error.h>
#include <sluice/runtime/process.h>
#include <sluice/runtime/thread_start.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <tbb/flow_graph.h>
#include <tbb/task_arena.h>

namespace sluice::flow {

class arena_threads {
 public:
  // `begin(i)`, if set, is called on thread i before it works.
  using begin_function = std::function<void(std::size_t)>;

  arena_threads(tbb::task_arena& arena, std::size_t wanted, begin_function begin = {})
      : arena_(arena), begin_(std::move(begin)) {
    try {
      // Held until all threads are made; one is for the calling thread.
      std::vector<sluice::detail::MemoryReserve> spare;
      spare.reserve(wanted + 1);
      members_.reserve(wanted);
      spare.emplace_back();
      while (members_.size() < wanted) {
        spare.emplace_back();
        auto made = std::make_unique<member>(*this, members_.size());
        made->start();
        members_.push_back(std::move(made));
      }
    } catch (const std::exception&) {  // no memory, or std::system_error: no more threads
    }
    const std::size_t started = members_.size();
    std::unique_lock lock(mutex_);
    said_.wait(lock, [&] { return entered_ + gave_up_ == started; });
  }
  arena_threads(const arena_threads&) = delete;
  arena_threads& operator=(const arena_threads&) = delete;

  std::size_t size() const { return entered_; }

 private:
  // A thread that runs the arena's tasks for as long as its gate is held.
  class member {
   public:
    member(arena_threads& of, std::size_t index) : arena_threads_(of), index_(index) {
      arena_threads_.arena_.execute([this] { gate_ = std::make_unique<tbb::flow::graph>(); });
      gate_->reserve_wait();
    }
    member(const member&) = delete;
    member& operator=(const member&) = delete;
    ~member() {
      gate_->release_wait();
      if (thread_.joinable()) thread_.join();
    }
    void start() {
      thread_ = std::thread([this] { work(); });
    }

   private:
    void work() noexcept {
      bool entered = false;
      try {
        if (arena_threads_.begin_) arena_threads_.begin_(index_);
        arena_threads_.arena_.execute([&] {
          entered = true;
          arena_threads_.say(arena_threads_.entered_);
          gate_->wait_for_all();
        });
      } catch (...) {  // no memory for oneTBB's data of a thread
      }
      if (!entered) arena_threads_.say(arena_threads_.gave_up_);
    }

    arena_threads& arena_threads_;
    const std::size_t index_;
    std::unique_ptr<tbb::flow::graph> gate_;
    std::thread thread_;
  };

  void say(std::size_t& count) {
    const std::lock_guard lock(mutex_);
    ++count;
    said_.notify_one();
  }

  tbb::task_arena& arena_;
  const begin_function begin_;
  std::mutex mutex_;  // guards the counts until the constructor returns
  std::condition_variable said_;
  std::size_t entered_ = 0, gave_up_ = 0;
  std::vector<std::unique_ptr<member>> members_;  // last: their threads use all of the above
};

// tbb_fork_guard and set_up(): guards for the use of oneTBB in a process, where oneTBB itself would
// wait for ever or use memory that was freed.
//
// Ownership: none. Threads: any. Errors: Error with what to do; std::bad_alloc.

// Counts the living users of oneTBB in this process. In a child of fork(), oneTBB's lists still
// hold the threads that slept in it, although their memory is reused for new threads. So if there
// were any users, the child cannot make an executor.
class tbb_fork_guard {
 public:
  tbb_fork_guard() {
    const std::uint64_t here = std::uint64_t{ForkGuard::generation()} << 32;
    std::uint64_t seen = all.load();
    std::uint64_t next = 0;
    do {
      const std::uint64_t count = seen & kCount;
      const bool inherited = (seen & ~kCount) != here;
      if (inherited && count > 0) {
        throw Error(
            "a child of fork() cannot make a pipeline, since one was alive when the process "
            "forked; destroy (in Python: close) pipelines before fork(), or start the child's "
            "program with exec()");
      }
      next = here + count + 1;
    } while (!all.compare_exchange_weak(seen, next));
  }
  tbb_fork_guard(const tbb_fork_guard&) = delete;
  tbb_fork_guard& operator=(const tbb_fork_guard&) = delete;
  ~tbb_fork_guard() { all.fetch_sub(1); }

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
