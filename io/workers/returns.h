// State that a pool shares with the handles on its workers' values. Wake wakes the pool's thread;
// Returns collects the values of one worker that are no longer used. Internal.
//
// Ownership: shared by the pool and all handles, which may outlive it. Threads: all. Errors: none;
// if memory is too short to note a value, it is given back when its worker ends.
#pragma once

#include <sluice/io/workers/descriptor.h>
#include <sluice/runtime/process.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace sluice::detail {

class Wake {
 public:
  Wake();  // throws std::system_error
  int number() const { return event_.number(); }
  // Wakes the pool's thread.
  void call() noexcept;
  // Call it on the thread once awake, before it looks for work.
  void heard() noexcept;

  std::atomic<std::size_t> held_bytes{0};    // of values in use
  std::atomic<bool> short_of_memory{false};  // give_back() calls call() at once

 private:
  Descriptor event_;
  std::atomic<bool> called_{false};
};

class Returns {
 public:
  explicit Returns(std::shared_ptr<Wake> wake) : wake_(std::move(wake)) {}
  void hold(std::size_t bytes) noexcept { wake_->held_bytes += bytes; }
  void give_back(std::uint64_t id, std::size_t bytes) noexcept;
  // Takes up to `most` values that were given back, or none if there are fewer than `least`.
  std::vector<std::uint64_t> take(std::size_t least, std::size_t most);
  // Puts back values whose message could not be sent; take() returns them again.
  void put_back(const std::vector<std::uint64_t>& ids);

 private:
  const HomeProcess home_;  // a child of fork() gives nothing back
  const std::shared_ptr<Wake> wake_;
  std::mutex mutex_;
  std::vector<std::uint64_t> ids_;
};

}  // namespace sluice::detail
