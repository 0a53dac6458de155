// values_of: a dataset that is whatever a C++ range gives, one value after the other, of unknown
// length.
//
//   auto line = g.read(values_of([] { return lines_of("list.txt"); }));    // a generator, see
//   there auto [id, name] = g.read(values_of(std::vector<std::tuple<int, std::string>>{...}));
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

#include <sluice/graph/graph.h>
#include <sluice/graph/sources/generator.h>
#include <sluice/graph/sources/pulled.h>

#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

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
using MakeStream = std::function<std::unique_ptr<Stream<T>>(const EpochInfo&)>;

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
