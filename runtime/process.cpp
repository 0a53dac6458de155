#include <sluice/runtime/error.h>
#include <sluice/runtime/process.h>

#include <atomic>
#include <new>

#include <pthread.h>

namespace sluice {
namespace {

std::atomic<unsigned> forks{0};

}  // namespace

unsigned HomeProcess::generation() {
  static const bool noticed = [] {
    const auto in_child = [] { forks.fetch_add(1, std::memory_order_relaxed); };
    if (pthread_atfork(nullptr, nullptr, in_child) != 0) throw std::bad_alloc();
    return true;
  }();
  (void)noticed;
  return forks.load(std::memory_order_relaxed);
}

bool HomeProcess::here() const noexcept {
  return generation_ == forks.load(std::memory_order_relaxed);
}

void HomeProcess::require(const std::string& what) const {
  if (here()) return;
  throw Error(what +
              " belongs to the process that made it, and fork() does not copy its threads; make a "
              "pipeline in the child, and destroy all others before fork()");
}

}  // namespace sluice
