// Elsewhere: a thread that fires completion handles, for the tests of steps that wait.
//
// Ownership: destroy it after the pipelines that use it; handles that it still holds are then
// destroyed. Threads: any.
#pragma once

#include <sluice/graph/completion.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace sluice::testing {

// Holds completion handles until they are taken.
template <class R>
class Shelf {
 public:
  struct Held {
    Completion<R> done;
    std::int64_t number = 0;
  };

  void put(Completion<R> done, std::int64_t number) {
    const std::lock_guard lock(mutex_);
    held_.push_back({std::move(done), number});
    came_.notify_all();
  }
  // Waits until there are so many, and returns all.
  std::vector<Held> take(std::size_t count) {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return held_.size() >= count; });
    return std::exchange(held_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<Held> held_;
};

// Runs the given work, in order, on a thread of its own.
class Elsewhere {
 public:
  Elsewhere() : thread_([this] { run(); }) {}
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;
  ~Elsewhere() {
    post({});
    thread_.join();
  }
  void post(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
    came_.notify_one();
  }
  // The same with a handle, which is destroyed after `work`.
  template <class R, class Work>
  void post(Completion<R> done, Work work) {
    post([shared = std::make_shared<Completion<R>>(std::move(done)), work] { work(*shared); });
  }

 private:
  void run() {
    while (true) {
      std::unique_lock lock(mutex_);
      came_.wait(lock, [&] { return !posted_.empty(); });
      auto all = std::exchange(posted_, {});
      lock.unlock();
      for (auto& work : all) {
        if (!work) return;
        work();
        work = nullptr;
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<std::function<void()>> posted_;
  std::thread thread_;
};

}  // namespace sluice::testing
