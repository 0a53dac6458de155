// What the handles on workers' values share with the pool that gave them: Wake, by which its thread
// is woken, and Returns, the values of one worker that nobody uses any more. Internal.
//
// Ownership: shared by the pool and all handles, which may outlive it. Threads: all. Errors: none;
// a value that cannot be noted for want of memory is given back when its worker ends.
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
  // Ends the wait of the pool's thread.
  void call() noexcept;
  // The thread is awake and looks at everything after this.
  void heard() noexcept;

  std::atomic<std::size_t> held_bytes{0};    // of values that somebody has
  std::atomic<bool> short_of_memory{false};  // who gives back shall call

 private:
  Descriptor event_;
  std::atomic<bool> called_{false};
};

class Returns {
 public:
  explicit Returns(std::shared_ptr<Wake> wake) : wake_(std::move(wake)) {}
  void hold(std::size_t bytes) noexcept { wake_->held_bytes += bytes; }
  void give_back(std::uint64_t id, std::size_t bytes) noexcept;
  // Values that were given back, up to `most`; none if they are fewer than `least`.
  std::vector<std::uint64_t> take(std::size_t least, std::size_t most);
  // They could not be told of: they are taken next time.
  void put_back(const std::vector<std::uint64_t>& ids);

 private:
  const HomeProcess home_;  // a child of fork() gives nothing back
  const std::shared_ptr<Wake> wake_;
  std::mutex mutex_;
  std::vector<std::uint64_t> ids_;
};

}  // namespace sluice::detail
