// SourceThreads: the lock of a dataset, and threads of its own that wait under it for something to
// do: for code that may stand still.
//
// Ownership: owns the threads; refers to what `work` refers to. Destroying it ends them. In a child
// of fork(), which has no such threads, it leaves them alone. Threads: start() and the end by one;
// the rest by any. Errors: start() throws Error when not even one thread can be made; fewer than
// wanted will do.
#pragma once

#include <sluice/runtime/process.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace sluice::detail {

class SourceThreads {
 public:
  // A lock, and no threads.
  SourceThreads();
  ~SourceThreads();
  SourceThreads(const SourceThreads&) = delete;
  SourceThreads& operator=(const SourceThreads&) = delete;

  // Makes threads, unless there are some. Each calls work(), which throws nothing, and returns soon
  // after wait() has said no.
  void start(std::size_t wanted, const std::function<void()>& work);
  bool started() const;
  // Ends the threads, and waits until they have ended.
  void end() noexcept;

  // Holds the lock.
  class Lock {
   public:
    explicit Lock(SourceThreads& of);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    void lock();
    void unlock();

   private:
    friend class SourceThreads;
    SourceThreads& of_;
    bool locked_ = true;
  };

  // One of those that wait shall look again.
  void wake_one() noexcept;
  // For work(): waits, without the lock, until ready() says yes; that is asked with the lock. False
  // when the threads shall end.
  bool wait(Lock& lock, const std::function<bool()>& ready);

 private:
  HomeProcess home_;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::detail
