#include "interruption.h"

#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include <semaphore.h>

namespace sluice::app {
namespace {

// Signal handlers may only use lock-free atomics and sem_post.
std::atomic<int> caught{0};
static_assert(std::atomic<int>::is_always_lock_free);
sem_t woken;

extern "C" void catch_signal(int number) {
  const int before = errno;
  caught.store(number);
  (void)sem_post(&woken);
  errno = before;
}

void install(int number, struct sigaction& before) {
  (void)::sigaction(number, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = catch_signal;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  (void)::sigaction(number, &action, nullptr);
}

}  // namespace

Interruption::Interruption(std::function<void()> stop) {
  caught = 0;
  (void)sem_init(&woken, 0, 0);
  try {
    thread_ = std::thread([stop = std::move(stop)] {
      while (sem_wait(&woken) != 0) {
      }
      if (caught != 0) stop();
    });
  } catch (const std::system_error&) {
  }
  install(SIGINT, interrupt_before_);
  install(SIGTERM, terminate_before_);
}

Interruption::~Interruption() {
  (void)::sigaction(SIGINT, &interrupt_before_, nullptr);
  (void)::sigaction(SIGTERM, &terminate_before_, nullptr);
  (void)sem_post(&woken);
  if (thread_.joinable()) thread_.join();
  (void)sem_destroy(&woken);
}

int Interruption::signal() const { return caught; }

}  // namespace sluice::app
