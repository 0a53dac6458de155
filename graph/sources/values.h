// values_of: a dataset of the values of a C++ range, in order and of unknown length. The range may
// be a coroutine: generator<T>.
//
//   auto line = g.read(values_of([] { return lines_of("list.txt"); }));  // see generator
//   auto [id, name] = g.read(values_of(std::vector<std::tuple<int, std::string>>{...}));
//
// If you pass a function, it makes the range at the beginning of each epoch, on the thread that
// takes batches; it may take a const EpochInfo&. If you pass a range, each epoch iterates over it
// again. A generator can be iterated once: the epochs after epoch 0 are empty. Each value is a
// sample: one value or a std::tuple. Values that the range returns by lvalue reference are copied.
//
// The dataset's own thread takes the values in order, at most EpochInfo::window ahead. Value i is
// always the sample at position i, so samplers and the inspection of one sample are not supported.
// If several processes share the work, they must make different ranges.
//
// Errors: an exception of the range is the error of the sample at that position, and the epoch ends
// after it, since the range cannot go on. An exception of the function is thrown by epoch(). If the
// function runs again within an epoch (Cycle::quiet), its exception is a sample's error. Ownership:
// owns the range, which is destroyed when the epoch ends. Threads: one thread at a time uses the
// range.
#pragma once

#include <sluice/graph/completion.h>
#include <sluice/graph/graph.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/graph/sources/source_threads.h>
#include <sluice/runtime/function.h>

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

// generator<T>: the return type of a coroutine that yields one value after the other with co_yield.
//
//   generator<std::string> lines_of(std::string file) {
//     std::ifstream in(file);
//     for (std::string line; std::getline(in, line);) co_yield line;
//   }
//   for (std::string& line : lines_of("list.txt")) use(line);
//
// It is a range that can be iterated once. A request for the next value runs the function up to its
// next co_yield. The operand of co_yield is a T: a temporary is passed on directly and may be moved
// from; anything else is copied. The function should take its parameters by value, since it begins
// to run when the caller may have returned. For the same reason, a lambda should take parameters
// instead of captures.
//
// Ownership: move-only; owns the suspended function, whose locals are destroyed with it. Threads:
// one at a time. Errors: an exception of the function is thrown by the request for the next value;
// the range is over then.

template <class T>
class [[nodiscard]] generator {
  static_assert(std::is_object_v<T> && std::is_same_v<T, std::remove_cv_t<T>>,
                "generator<T>: T is void, const or a reference: name the type of an object");

 public:
  class promise_type {
   public:
    generator get_return_object() {
      return generator(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    std::suspend_always final_suspend() const noexcept { return {}; }
    std::suspend_always yield_value(T&& value) noexcept {
      value_ = std::addressof(value);
      return {};
    }
    // Keeps a copy until the function resumes.
    struct Copied : std::suspend_always {
      explicit Copied(const T& value) : copy(value) {}
      void await_suspend(std::coroutine_handle<promise_type> of) noexcept {
        of.promise().value_ = std::addressof(copy);
      }
      T copy;
    };
    Copied yield_value(const T& value) requires std::is_copy_constructible_v<T> {
      return Copied(value);
    }
    void await_transform() = delete;  // co_await is not supported
    void return_void() const noexcept {}
    void unhandled_exception() { error_ = std::current_exception(); }

   private:
    friend class generator;
    T* value_ = nullptr;
    std::exception_ptr error_;
  };

  class iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    T&& operator*() const { return std::move(*of_->value()); }
    iterator& operator++() {
      of_->go_on();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& at, std::default_sentinel_t) { return at.over(); }

   private:
    friend class generator;
    explicit iterator(const generator& of) : of_(&of) {}
    bool over() const { return of_->done(); }
    const generator* of_;
  };

  generator(generator&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  generator& operator=(generator&& other) noexcept {
    if (this != &other) {
      destroy();
      handle_ = std::exchange(other.handle_, {});
    }
    return *this;
  }
  ~generator() { destroy(); }

  // Runs the function up to its first co_yield. Do not move the generator after this.
  iterator begin() {
    go_on();
    return iterator(*this);
  }
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  explicit generator(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  void destroy() noexcept {
    if (handle_) handle_.destroy();
  }
  bool done() const { return !handle_ || handle_.done(); }
  T* value() const { return handle_.promise().value_; }
  void go_on() const {
    if (done()) return;
    handle_.resume();
    if (handle_.promise().error_ != nullptr)
      std::rethrow_exception(std::exchange(handle_.promise().error_, nullptr));
  }

  std::coroutine_handle<promise_type> handle_;
};

}  // namespace sluice

namespace sluice::detail {

// Pulled: delivers the values of a stream to requests by position, in any order. Internal to
// Values.
//
// Its own thread takes the values from the stream one after the other, each only after a request
// for it or for a later one. A value that has not been requested yet is kept while it still can be.
// EpochInfo::window limits the number of kept values.
//
// Ownership: owns its thread, the stream and the kept values. Threads: ask() on any; begin() and
// end() on one. Errors: an exception of the stream is the error of the sample at that position; the
// stream is over after it, unless goes_on() returns true.

template <class T>
class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;
  // Returns the next value; empty if the stream is over.
  virtual std::optional<T> next() = 0;
  // Called after next() has thrown: true if more values follow.
  virtual bool goes_on() const { return false; }
  // Called on another thread while next() runs: its value is not needed any more.
  virtual void stop() noexcept {}
};

template <class T>
class Pulled {
 public:
  // Begins an epoch. Call it after the end() of the epoch before.
  void begin(const EpochInfo& info, std::unique_ptr<Stream<T>> stream) {
    threads_.start(1, [this] { work(); });
    std::vector<Cell> cells(static_cast<std::size_t>(info.window));
    const SourceThreads::Lock lock(threads_);
    cells_.swap(cells);
    stream_.swap(stream);
    next_ = 0;
    asked_ = -1;
    end_ = kUntilEnd;
    open_ = true;
    ++round_;
  }

  // Ends the epoch and drops all requests. While next() runs, one handle is kept: the end of the
  // epoch waits for it, and reports the wait if it takes long.
  void end() noexcept {
    std::vector<Cell> cells;  // what they hold is destroyed outside the lock
    std::unique_ptr<Stream<T>> stream;
    const SourceThreads::Lock lock(threads_);
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
    Cell found;  // also an outdated kept value: destroyed outside the lock
    {
      const SourceThreads::Lock lock(threads_);
      if (!open_) return;
      Cell& cell = cell_of(position);
      if (position < end_) {
        found = std::move(cell);
        const bool is_here = found.position == position;
        cell = Cell{.position = position};
        if (!is_here) {
          cell.waiting = std::move(done);
          if (asked_ < position) asked_ = position;
          threads_.wake_one();
          return;
        }
      }
    }
    found.waiting = std::move(done);
    answer(found);
  }

 private:
  // The state of one position. Each position that may be in flight has its own cell.
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

  void work() noexcept {
    SourceThreads::Lock lock(threads_);
    while (threads_.wait(lock, [&] { return open_ && next_ <= asked_ && next_ < end_; })) {
      Cell pulled{.position = next_++};
      bool ends = false;
      {
        pulling_ = true;
        // The last request cannot have been answered yet.
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

  // Answers the request for a value, or keeps the value. Releases the lock and takes it again.
  void give(Cell& pulled, bool ends, SourceThreads::Lock& lock) noexcept {
    if (!open_) return leave(pulled, lock);
    if (ends) end_ = pulled.position + (pulled.error != nullptr ? 1 : 0);
    Cell& cell = cell_of(pulled.position);
    if (cell.position == pulled.position) {
      pulled.waiting = std::move(cell.waiting);
    } else if (cell.position < pulled.position) {
      std::swap(cell, pulled);  // else the value comes too late
    }
    lock.unlock();
    answer(pulled);
    pulled = {};
    lock.lock();
    // Answers the requests past the end; there are at most as many as cells. After the last answer
    // the epoch may be over, and another one may have begun.
    const std::int64_t round = round_;
    const std::int64_t first = asked_ - static_cast<std::int64_t>(cells_.size()) + 1;
    for (std::int64_t p = end_ < first ? first : end_; open_ && round == round_ && p <= asked_;
         ++p) {
      if (cell_of(p).position != p) continue;
      Cell over{.position = p, .waiting = std::move(cell_of(p).waiting)};
      lock.unlock();
      answer(over);
      lock.lock();
    }
  }

  // Called when the epoch has ended meanwhile: drops the value, the stream and the kept handle.
  void leave(Cell& pulled, SourceThreads::Lock& lock) noexcept {
    Completion<T> kept = std::move(kept_);
    std::unique_ptr<Stream<T>> stream = std::move(stream_);
    lock.unlock();
    pulled = {};
    stream.reset();
    kept = {};
    lock.lock();
  }

  std::unique_ptr<Stream<T>> stream_;  // used by the thread while `pulling_`
  std::vector<Cell> cells_;
  Completion<T> kept_;
  std::int64_t next_ = 0;    // position of the next value of the stream
  std::int64_t asked_ = -1;  // the highest requested position
  std::int64_t end_ = kUntilEnd;
  std::int64_t round_ = 0;  // counts epochs
  bool open_ = false;
  bool pulling_ = false;
  SourceThreads threads_;  // last: its thread uses all of the above
};

}  // namespace sluice::detail

namespace sluice {

// The behavior after the last value.
enum class Cycle : std::uint8_t {
  raise,  // the epoch ends; the next one starts over
  quiet,  // the values start over: the epoch goes on until the consumer ends it
  off     // epoch 0 ends; later epochs are empty, also if a run is resumed in one
};

struct ValuesOptions {
  Cycle cycle = Cycle::raise;
};

namespace detail {

// Range traits for R, which may be a reference type. They replace <ranges>, a large header.
template <class R>
using iterator_of = decltype(std::ranges::begin(std::declval<std::remove_reference_t<R>&>()));
template <class R>
concept is_range = requires(std::remove_reference_t<R>& range) {
  { std::ranges::begin(range) } -> std::input_iterator;
  std::ranges::end(range);
};

template <class T>
using MakeStream = Function<std::unique_ptr<Stream<T>>(const EpochInfo&)>;

// A stream of the values of a range. It owns the range, unless Range is a reference type.
template <class T, class Range>
class RangeStream : public Stream<T> {
 public:
  explicit RangeStream(Range&& range) : range_(std::forward<Range>(range)) {}
  std::optional<T> next() override {
    if (at_) {
      ++*at_;
    } else {
      at_.emplace(std::ranges::begin(range_));
    }
    if (*at_ == std::ranges::end(range_)) return {};
    if constexpr (std::is_lvalue_reference_v<std::iter_reference_t<iterator_of<Range>>>) {
      return copy_of<T>(**at_);
    } else {
      return T(**at_);
    }
  }

 private:
  Range range_;
  std::optional<iterator_of<Range>> at_;
};

// A stream that starts over when it ends.
template <class T>
class Cycling : public Stream<T> {
 public:
  Cycling(MakeStream<T> make, const EpochInfo& info)
      : make_(std::move(make)), info_(info), stream_(make_(info_)) {}
  std::optional<T> next() override {
    std::optional<T> value = stream_->next();
    if (!value) {  // if it is empty right after the restart, the stream is over
      stream_.reset();
      stream_ = make_(info_);
      value = stream_->next();
    }
    return value;
  }
  bool goes_on() const override { return stream_ != nullptr && stream_->goes_on(); }

 private:
  const MakeStream<T> make_;
  const EpochInfo info_;
  std::unique_ptr<Stream<T>> stream_;
};

template <class F>
concept makes_of_epoch = std::is_invocable_v<F&, const EpochInfo&>;
template <class F>
concept makes_range = makes_of_epoch<F> || std::is_invocable_v<F&>;
template <class F>
decltype(auto) make_range(F& f, const EpochInfo& info) {
  if constexpr (makes_of_epoch<F>) {
    return f(info);
  } else {
    return f();
  }
}
template <class F>
using range_made_t = decltype(make_range(std::declval<F&>(), std::declval<const EpochInfo&>()));

}  // namespace detail

template <class T>
class Values {
 public:
  using Sample = T;
  static constexpr bool in_order = true;

  Values(detail::MakeStream<T> make, Cycle cycle)
      : make_(std::move(make)), cycle_(cycle), state_(std::make_unique<State>()) {}
  Values(const Values& other) : Values(other.make_, other.cycle_) {}
  Values(Values&&) noexcept = default;
  Values& operator=(const Values&) = delete;
  Values& operator=(Values&&) = delete;
  ~Values() = default;

  std::int64_t size() const { return kUntilEnd; }
  std::string name(std::int64_t) const { return {}; }
  void begin_epoch(const EpochInfo& info) const {
    std::unique_ptr<detail::Stream<T>> stream;
    if (cycle_ == Cycle::quiet) {
      stream = std::make_unique<detail::Cycling<T>>(make_, info);
    } else if (cycle_ == Cycle::raise || (info.epoch == 0 && !state_->begun)) {
      stream = make_(info);
    } else {
      stream = std::make_unique<Nothing>();
    }
    state_->pulled.begin(info, std::move(stream));
    state_->begun = true;
  }
  void end_epoch() const noexcept { state_->pulled.end(); }
  void operator()(Completion<T> done, const SampleInfo& info) const {
    if (done.out_of_turn()) {
      (void)done.fail(
          "its source produces its values once and in order, so a single sample cannot be "
          "requested");
    } else {
      state_->pulled.ask(std::move(done), info.index_in_epoch);
    }
  }

 private:
  struct Nothing : detail::Stream<T> {
    std::optional<T> next() override { return {}; }
  };
  struct State {
    bool begun = false;
    detail::Pulled<T> pulled;
  };

  detail::MakeStream<T> make_;
  Cycle cycle_;
  std::unique_ptr<State> state_;
};

// Returns a dataset of the ranges that a function makes, one for each epoch.
template <class F>
requires detail::makes_range<F>
auto values_of(F make, const ValuesOptions& options = {}) {
  using Range = detail::range_made_t<F>;
  constexpr bool good = detail::is_range<Range>;
  static_assert(good,
                "values_of: the function must return a range: a container, say, or generator<T>");
  if constexpr (good) {
    using T = std::iter_value_t<detail::iterator_of<Range>>;
    return Values<T>(
        [make = std::make_shared<F>(std::move(make))](const EpochInfo& info) {
          return std::make_unique<detail::RangeStream<T, Range>>(detail::make_range(*make, info));
        },
        options.cycle);
  }
}

// Returns a dataset of the values of a range.
template <detail::is_range Range>
requires(!detail::makes_range<Range>) auto values_of(Range range,
                                                     const ValuesOptions& options = {}) {
  using T = std::iter_value_t<detail::iterator_of<Range>>;
  return Values<T>(
      [range = std::make_shared<Range>(std::move(range))](const EpochInfo&) {
        return std::make_unique<detail::RangeStream<T, Range&>>(*range);
      },
      options.cycle);
}

// Returns a dataset of the values of a generator. It cannot start over and has no options; to have
// both, pass the function that makes it.
template <class T>
Values<T> values_of(generator<T> values) {
  return Values<T>(
      [values = std::make_shared<generator<T>>(std::move(values))](const EpochInfo&) {
        return std::make_unique<detail::RangeStream<T, generator<T>>>(std::move(*values));
      },
      Cycle::off);
}
template <class T>
Values<T> values_of(generator<T> values, const ValuesOptions&) {
  static_assert(detail::never<T>,
                "values_of: a generator can be iterated only once and takes no options: give the "
                "function that makes it");
  return values_of(std::move(values));
}

}  // namespace sluice
