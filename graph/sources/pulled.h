// Pulled: gives the values of a stream to those who ask for them by position, in any order.
// Internal to values.h.
//
// One thread of its own takes the values out of the stream, one after the other, and none before
// somebody has asked for it or for one behind it. A value that nobody has asked for yet is kept for
// as long as somebody may. What it holds is bounded by EpochInfo::window.
//
// Ownership: owns its thread, the stream and the values that are kept. Threads: ask() on any;
// begin() and end() on one. Errors: what the stream throws is the error of the sample where it
// stands; the stream is over behind it, unless it says that it goes on.
#pragma once

#include <sluice/graph/completion.h>
#include <sluice/graph/plan/epoch_info.h>
#include <sluice/graph/sources/source_threads.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace sluice::detail {

template <class T>
class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;
  // Nothing: it is over.
  virtual std::optional<T> next() = 0;
  // After next() has thrown: whether there is more.
  virtual bool goes_on() const { return false; }
  // On another thread: nobody wants what next() is about to give.
  virtual void stop() noexcept {}
};

template <class T>
class Pulled {
 public:
  // Between two epochs.
  void begin(const EpochInfo& info, std::unique_ptr<Stream<T>> stream) {
    if (!thread_) thread_.emplace(1, [this](const std::stop_token& stop) { work(stop); });
    std::vector<Cell> cells(static_cast<std::size_t>(info.window));
    const std::lock_guard lock(mutex_);
    cells_.swap(cells);
    stream_.swap(stream);
    next_ = 0;
    asked_ = -1;
    end_ = kUntilEnd;
    open_ = true;
    ++round_;
  }

  // Nobody wants what was asked for. While a value is being taken one handle is kept, so that the
  // end of the epoch waits for that, and says so where it takes long.
  void end() noexcept {
    std::vector<Cell> cells;  // what they hold is destroyed outside the lock
    std::unique_ptr<Stream<T>> stream;
    const std::lock_guard lock(mutex_);
    open_ = false;
    if (pulling_) {
      kept_ = std::move(cell_of(asked_).waiting);
      stream_->stop();
    } else {
      stream.swap(stream_);
    }
    cells.swap(cells_);
  }

  void ask(Completion<T> done, std::int64_t position) {
    Cell found;  // also what was kept for nobody: destroyed outside the lock
    {
      const std::lock_guard lock(mutex_);
      if (!open_) return;
      Cell& cell = cell_of(position);
      if (position < end_) {
        found = std::move(cell);
        const bool is_here = found.position == position;
        cell = Cell{.position = position};
        if (!is_here) {
          cell.waiting = std::move(done);
          asked_ = std::max(asked_, position);
          came_.notify_one();
          return;
        }
      }
    }
    found.waiting = std::move(done);
    answer(found);
  }

 private:
  // What is known of a position. Those that may be under way have a cell each.
  struct Cell {
    std::int64_t position = -1;
    Completion<T> waiting = {};
    std::optional<T> value = {};  // neither a value nor an error: the epoch is over
    std::exception_ptr error = {};
  };

  Cell& cell_of(std::int64_t position) {
    return cells_[static_cast<std::size_t>(position) % cells_.size()];
  }

  static void answer(Cell& cell) noexcept {
    if (!cell.waiting) return;
    if (cell.value) {
      (void)cell.waiting.set(*std::move(cell.value));
    } else if (cell.error != nullptr) {
      (void)cell.waiting.fail(cell.error);
    } else {
      (void)cell.waiting.fail(std::make_exception_ptr(EndOfEpoch()));
    }
  }

  void work(const std::stop_token& stop) noexcept {
    std::unique_lock lock(mutex_);
    while (came_.wait(lock, stop, [&] { return open_ && next_ <= asked_ && next_ < end_; })) {
      Cell pulled{.position = next_++};
      bool ends = false;
      {
        pulling_ = true;
        // Whoever asked last waits still.
        const StepScope scope(cell_of(asked_).waiting);
        lock.unlock();
        try {
          pulled.value = stream_->next();
          ends = !pulled.value;
        } catch (const EndOfEpoch&) {
          ends = true;
        } catch (...) {
          pulled.error = std::current_exception();
          ends = !stream_->goes_on();
        }
      }
      lock.lock();
      pulling_ = false;
      give(pulled, ends, lock);
    }
  }

  // Gives the lock back, and takes it again.
  void give(Cell& pulled, bool ends, std::unique_lock<std::mutex>& lock) noexcept {
    if (!open_) return leave(pulled, lock);
    if (ends) end_ = pulled.position + (pulled.error != nullptr ? 1 : 0);
    Cell& cell = cell_of(pulled.position);
    if (cell.position == pulled.position) {
      pulled.waiting = std::move(cell.waiting);
    } else if (cell.position < pulled.position) {
      std::swap(cell, pulled);  // else it is too late for it
    }
    lock.unlock();
    answer(pulled);
    pulled = {};
    lock.lock();
    // Those who wait behind the end, which are no more than there are cells; with the last of them
    // the epoch may be over, and another begun.
    const std::int64_t round = round_;
    const std::int64_t first = asked_ - static_cast<std::int64_t>(cells_.size()) + 1;
    for (std::int64_t p = std::max(end_, first); open_ && round == round_ && p <= asked_; ++p) {
      if (cell_of(p).position != p) continue;
      Cell over{.position = p, .waiting = std::move(cell_of(p).waiting)};
      lock.unlock();
      answer(over);
      lock.lock();
    }
  }

  // The epoch has ended meanwhile.
  void leave(Cell& pulled, std::unique_lock<std::mutex>& lock) noexcept {
    Completion<T> kept = std::move(kept_);
    std::unique_ptr<Stream<T>> stream = std::move(stream_);
    lock.unlock();
    pulled = {};
    stream.reset();
    kept = {};
    lock.lock();
  }

  std::mutex mutex_;
  std::condition_variable_any came_;
  std::unique_ptr<Stream<T>> stream_;  // the thread's while `pulling_`
  std::vector<Cell> cells_;
  Completion<T> kept_;
  std::int64_t next_ = 0;    // position of the next value of the stream
  std::int64_t asked_ = -1;  // the last position that somebody has asked for
  std::int64_t end_ = kUntilEnd;
  std::int64_t round_ = 0;  // counts epochs
  bool open_ = false;
  bool pulling_ = false;
  std::optional<SourceThreads> thread_;  // last: it uses all of the above
};

}  // namespace sluice::detail
