#include "read_ahead.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace sluice::app {

ReadAhead::ReadAhead(const PackSource& source, std::int64_t samples, std::int64_t without_file,
                     std::int64_t most_bytes)
    : source_(source), samples_(samples), without_file_(without_file), most_bytes_(most_bytes) {
  constexpr std::int64_t kThreads = 4;
  for (std::int64_t i = 0; i < std::min(kThreads, samples); ++i) {
    try {
      threads_.emplace_back([this] { read_all(); });
    } catch (const std::system_error&) {
      if (threads_.empty()) throw;
    }
  }
}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  has_room_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

PackRow ReadAhead::next() {
  std::unique_lock lock(mutex_);
  is_read_.wait(lock, [this] { return waiting_.contains(next_); });
  Read read = std::move(waiting_.extract(next_).mapped());
  ++next_;
  bytes_ -= read.bytes;
  lock.unlock();
  has_room_.notify_all();
  if (read.error) std::rethrow_exception(read.error);
  return std::move(read.row);
}

void ReadAhead::read_all() {
  std::unique_lock lock(mutex_);
  for (;;) {
    has_room_.wait(lock, [this] { return stop_ || begun_ == samples_ || bytes_ < most_bytes_; });
    if (stop_ || begun_ == samples_) return;
    const std::int64_t i = begun_++;
    lock.unlock();
    Read done = read(i);
    lock.lock();
    bytes_ += done.bytes;
    waiting_.emplace(i, std::move(done));
    is_read_.notify_one();
  }
}

ReadAhead::Read ReadAhead::read(std::int64_t i) const {
  constexpr std::int64_t kOverhead = 1000;  // so that many small files are bounded, too
  Read done;
  try {
    done.row.cells = source_.cells(i);
    if (i >= without_file_) done.row.file = source_.file(i);
  } catch (...) {
    done.error = std::current_exception();
  }
  done.bytes = kOverhead + static_cast<std::int64_t>(done.row.file.size());
  return done;
}

}  // namespace sluice::app
