#include "caller.h"

#include "object.h"

#include <chrono>
#include <utility>

namespace sluice::python {

Caller::~Caller() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Caller::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || job_ != nullptr; });
    if (ends_) return;
    const std::function<void()>& job = *job_;
    lock.unlock();
    std::exception_ptr error;
    try {
      job();
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    error_ = std::move(error);
    job_ = nullptr;
    changed_.notify_all();
  }
}

void Caller::run(const std::function<void()>& f, const std::function<void()>& asked,
                 const std::function<void()>& stop) {
  fork_guard_.require(what_);
  std::exception_ptr interrupted;
  {
    const nb::gil_scoped_release unlocked;
    std::unique_lock lock(mutex_);
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    job_ = &f;
    changed_.notify_all();
    const auto done = [this] { return job_ == nullptr; };
    while (!changed_.wait_for(lock, std::chrono::milliseconds(50), done)) {
      if (interrupted != nullptr) continue;
      lock.unlock();
      try {
        const nb::gil_scoped_acquire locked;
        asked();
      } catch (...) {
        interrupted = std::current_exception();
        stop();
      }
      lock.lock();
    }
  }
  const std::exception_ptr error = std::exchange(error_, nullptr);
  if (interrupted != nullptr) std::rethrow_exception(interrupted);
  if (error != nullptr) std::rethrow_exception(error);
}

void require_no_signal() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace sluice::python
