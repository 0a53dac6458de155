// values_of: a dataset that is whatever a C++ range gives, one value after the other, of unknown
// length. Such a range may be a coroutine: generator<T>.
//
//   auto line = g.read(values_of([] { return lines_of("list.txt"); }));  // see generator
//   auto [id, name] = g.read(values_of(std::vector<std::tuple<int, std::string>>{...}));
//
// A function makes the range at the beginning of each epoch, on the thread that takes batches; it
// may take a const EpochInfo&. A range that is given itself is gone through anew in each epoch. A
// generator can be gone through once: the epochs after epoch 0 are empty. Each value is a
// sample: one value or a std::tuple; what the range gives by lvalue reference is copied.
//
// A thread of the dataset's own takes the values, in order, at most a window ahead. The value
// number i is the sample at position i, whatever became of others; so there is no sampler for it,
// and no inspection of one sample. Processes that share the work make different ranges.
//
// Errors: what the range throws is the error of the sample where it stands, and the epoch ends
// behind it, since the range cannot go on. What the function throws epoch() throws, and in the
// middle of an epoch it is a sample's error, too. Ownership: owns the range, which is destroyed
// when the epoch ends. Threads: one at a time is in the range.
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

// generator<T>: a function that gives one value after the other, written with co_yield.
//
//   generator<std::string> lines_of(std::string file) {
//     std::ifstream in(file);
//     for (std::string line; std::getline(in, line);) co_yield line;
//   }
//   for (std::string& line : lines_of("list.txt")) use(line);
//
// It is a range that is gone through once; the function runs up to its next co_yield when the next
// value is asked for. What stands behind co_yield is a T: a temporary is given as it is, and may be
// moved from; anything else is copied. Parameters of the function should be objects, since it
// begins to run when the caller may be gone; so should the captures of a lambda be its parameters.
//
// Ownership: move-only; owns what the function has on its way, which is destroyed with it. Threads:
// one at a time. Errors: what the function throws is thrown to whoever asks for the next value; it
// is over then.

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
    // Keeps a copy until the function goes on.
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
    void await_transform() = delete;  // nobody is waited for
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

  // Runs the function up to its first co_yield. The generator stays where it is from then on.
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

// Pulled: gives the values of a stream to those who ask for them by position, in any order.
// Internal to Values.
//
// One thread of its own takes the values out of the stream, one after the other, and none before
// somebody has asked for it or for one behind it. A value that nobody has asked for yet is kept for
// as long as somebody may. What it holds is bounded by EpochInfo::window.
//
// Ownership: owns its thread, the stream and the values that are kept. Threads: ask() on any;
// begin() and end() on one. Errors: what the stream throws is the error of the sample where it
// stands; the stream is over behind it, unless it says that it goes on.

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

  // Nobody wants what was asked for. While a value is being taken one handle is kept, so that the
  // end of the epoch waits for that, and says so where it takes long.
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
    Cell found;  // also what was kept for nobody: destroyed outside the lock
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

  void work() noexcept {
    SourceThreads::Lock lock(threads_);
    while (threads_.wait(lock, [&] { return open_ && next_ <= asked_ && next_ < end_; })) {
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
  void give(Cell& pulled, bool ends, SourceThreads::Lock& lock) noexcept {
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
    for (std::int64_t p = end_ < first ? first : end_; open_ && round == round_ && p <= asked_;
         ++p) {
      if (cell_of(p).position != p) continue;
      Cell over{.position = p, .waiting = std::move(cell_of(p).waiting)};
      lock.unlock();
      answer(over);
      lock.lock();
    }
  }

  // The epoch has ended meanwhile.
  void leave(Cell& pulled, SourceThreads::Lock& lock) noexcept {
    Completion<T> kept = std::move(kept_);
    std::unique_ptr<Stream<T>> stream = std::move(stream_);
    lock.unlock();
    pulled = {};
    stream.reset();
    kept = {};
    lock.lock();
  }

  std::unique_ptr<Stream<T>> stream_;  // the thread's while `pulling_`
  std::vector<Cell> cells_;
  Completion<T> kept_;
  std::int64_t next_ = 0;    // position of the next value of the stream
  std::int64_t asked_ = -1;  // the last position that somebody has asked for
  std::int64_t end_ = kUntilEnd;
  std::int64_t round_ = 0;  // counts epochs
  bool open_ = false;
  bool pulling_ = false;
  SourceThreads threads_;  // last: its thread uses all of the above
};

}  // namespace sluice::detail

namespace sluice {

// What follows the last value.
enum class Cycle : std::uint8_t {
  raise,  // the end of the epoch; the next one begins anew
  quiet,  // the first value again: the epoch goes on until somebody ends it
  off     // the end of epoch 0; those after it are empty, also where a run goes on there
};

struct ValuesOptions {
  Cycle cycle = Cycle::raise;
};

namespace detail {

// Of an R, which may be a reference. These are what <ranges> has, which is a large header.
template <class R>
using iterator_of = decltype(std::ranges::begin(std::declval<std::remove_reference_t<R>&>()));
template <class R>
concept is_range = requires(std::remove_reference_t<R>& range) {
  { std::ranges::begin(range) } -> std::input_iterator;
  std::ranges::end(range);
};

template <class T>
using MakeStream = Function<std::unique_ptr<Stream<T>>(const EpochInfo&)>;

// The values of a range, which it holds, or of a Range&.
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

// Begins again when it is over.
template <class T>
class Cycling : public Stream<T> {
 public:
  Cycling(MakeStream<T> make, const EpochInfo& info)
      : make_(std::move(make)), info_(info), stream_(make_(info_)) {}
  std::optional<T> next() override {
    std::optional<T> value = stream_->next();
    if (!value) {  // one that is empty then does not rewind, and is over
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
          "its source gives its values once, in their order, so no sample can be asked for alone");
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

// Of a function that makes a range.
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

// Of a range.
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

// Of a generator, which cannot begin again: give the function instead, and options.
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
                "values_of: a generator is gone through once and has no options: give the function "
                "that makes it");
  return values_of(std::move(values));
}

}  // namespace sluice
