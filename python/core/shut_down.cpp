#include "shut_down.h"

#include "object.h"
#include <sluice/runtime/process.h>

#include <exception>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace sluice::python {
namespace {

struct Threads {
  ForkGuard fork_guard;  // a child of fork() does not have the threads
  std::vector<std::thread> all;
};
// Lives as long as the process. Use it with the GIL held.
Threads& threads() {
  static auto* const made = new Threads;
  return *made;
}

}  // namespace

void do_elsewhere(std::function<void()> f) noexcept {
  // If no thread can be started, f and everything it holds is leaked.
  auto* const kept = new (std::nothrow) std::function<void()>(std::move(f));
  if (kept == nullptr) return;
  try {
    std::vector<std::thread>& all = threads().all;
    all.reserve(all.size() + 1);
    all.emplace_back([kept] {
      const std::unique_ptr<std::function<void()>> mine(kept);
      (*mine)();
    });
  } catch (const std::exception&) {
  }
}

void wait_for_elsewhere() {
  if (!threads().fork_guard.here()) return;
  std::vector<std::thread> all = std::exchange(threads().all, {});
  const nb::gil_scoped_release unlocked;
  for (std::thread& one : all) one.join();
}

}  // namespace sluice::python
