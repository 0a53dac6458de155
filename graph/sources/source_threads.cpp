#include <sluice/graph/sources/source_threads.h>
#include <sluice/runtime/error.h>

#include <condition_variable>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace sluice::detail {

struct SourceThreads::State {
  std::mutex mutex;
  std::condition_variable_any came;  // waits on a Lock
  bool ending = false;
  std::vector<std::thread> threads;
};

SourceThreads::SourceThreads() : state_(std::make_unique<State>()) {}

SourceThreads::~SourceThreads() {
  if (fork_guard_.here()) {
    end();
  } else {
    static_cast<void>(state_.release());
  }
}

void SourceThreads::end() noexcept {
  if (!fork_guard_.here()) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->ending = true;
  }
  state_->came.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
  state_->threads.clear();
}

void SourceThreads::start(std::size_t wanted, const Function<void()>& work) {
  std::vector<std::thread>& threads = state_->threads;
  if (!threads.empty()) return;
  threads.reserve(wanted);
  try {
    while (threads.size() < wanted) threads.emplace_back(work);
  } catch (const std::system_error& error) {
    if (threads.empty()) {
      throw Error("a source cannot make a single thread: " + error.code().message() +
                  "; allow the process more threads (ulimit -u, pids.max) or more memory");
    }
  } catch (const std::bad_alloc&) {
    if (threads.empty()) throw;
  }
}

bool SourceThreads::started() const { return !state_->threads.empty(); }

SourceThreads::Lock::Lock(SourceThreads& of) : of_(of) { of_.state_->mutex.lock(); }

SourceThreads::Lock::~Lock() {
  if (locked_) of_.state_->mutex.unlock();
}

void SourceThreads::Lock::lock() {
  of_.state_->mutex.lock();
  locked_ = true;
}

void SourceThreads::Lock::unlock() {
  locked_ = false;
  of_.state_->mutex.unlock();
}

void SourceThreads::wake_one() noexcept { state_->came.notify_one(); }

bool SourceThreads::ending() const { return state_->ending; }

void SourceThreads::wait_once(Lock& lock) { state_->came.wait(lock); }

}  // namespace sluice::detail
