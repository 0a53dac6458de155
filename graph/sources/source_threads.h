// SourceThreads: a lock and worker threads for a dataset whose code may block.
//
// Ownership: owns the threads, which keep copies of `work`; what `work` refers to must outlive
// them. Destroying it ends the threads. In a child of fork(), which has no such threads, it leaves
// them alone. Threads: call start() and end() from one thread; everything else is thread-safe.
// Errors: start() throws Error if not even one thread can be made; starting fewer than wanted is no
// error.
#pragma once

#include <sluice/runtime/function.h>
#include <sluice/runtime/process.h>

#include <cstddef>
#include <memory>

namespace sluice::detail {

class SourceThreads {
 public:
  // Makes a lock and no threads.
  SourceThreads();
  ~SourceThreads();
  SourceThreads(const SourceThreads&) = delete;
  SourceThreads& operator=(const SourceThreads&) = delete;

  // Starts up to `wanted` threads, once. Each runs work(), which must not throw and must return
  // when wait() returns false.
  void start(std::size_t wanted, const Function<void()>& work);
  bool started() const;
  // Ends the threads and waits until they have ended. They cannot be started again.
  void end() noexcept;

  // Holds the lock of a SourceThreads.
  class Lock {
   public:
    explicit Lock(SourceThreads& of);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    void lock();
    void unlock();

   private:
    SourceThreads& of_;
    bool locked_ = true;
  };

  // Wakes one waiting thread.
  void wake_one() noexcept;
  // work() calls it with the lock. Releases the lock and waits until ready(), which is called with
  // the lock after each wake-up. Returns false if the threads must end.
  template <class Ready>
  bool wait(Lock& lock, const Ready& ready) {
    while (!ending() && !ready()) wait_once(lock);
    return !ending();
  }

 private:
  // Both need the lock.
  bool ending() const;
  void wait_once(Lock& lock);

  ForkGuard fork_guard_;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::detail
