// batches_of: a dataset whose function returns a group of samples at once.
//
//   auto [row, label] = g.read(batches_of(db.rows(), 64, [db](const BatchInfo& info) {
//     std::vector<std::tuple<Tensor, std::int64_t>> rows;
//     for (const SampleKey& key : info.keys) rows.push_back(db.row(key.index));
//     return rows;
//   }, {.threads = 4}));
//
// The positions of an epoch are divided into groups of `size`. The function is called once for each
// group, when the first of its samples is requested; the others wait without a thread. It returns a
// std::vector of samples, each a value or a std::tuple, in the order of the keys. If it returns
// fewer, the rest of the group ends as filtered, or the epoch ends after them, see BatchesOptions.
// If it returns none or throws EndOfEpoch, the epoch ends before the group. If it returns more, all
// samples of the group fail.
//
// The sampler and the shards determine the keys of a group. The pipeline's batch size has no
// influence. If an epoch is resumed, its first group is still whole. A replacement sample, and a
// sample that is inspected, is requested alone, as a group with number -1. So the sample for a key
// must depend on the key only.
//
// Ownership: shares the function; a copy is an independent dataset. Threads: the function is called
// on several threads at once, for different groups. Errors: an exception of the function is the
// error of all samples of its group.
#pragma once

#include <sluice/graph/completion.h>
#include <sluice/graph/graph.h>
#include <sluice/graph/sources/source_threads.h>
#include <sluice/runtime/function.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

// BatchInfo: the group of samples that the function must return.
struct BatchInfo {
  std::int64_t epoch = 0;
  std::int64_t batch = 0;                // the number of the group in its epoch
  std::int64_t first = 0;                // position of its first sample in the epoch
  std::span<const SampleKey> keys = {};  // the keys of the samples, in order
};

struct BatchesOptions {
  // The number of the dataset's own threads, which call the function: for a function that blocks.
  // With 0, the pipeline thread that requests the first sample of a group calls it.
  int threads = 0;
  // True if a group with too few samples is the last one: the epoch ends after its samples.
  bool fewer_end = false;
};

namespace detail {

template <class V>
struct sample_in {
  static constexpr bool good = false;
  using type = int;
};
template <class T>
struct sample_in<std::vector<T>> {
  static constexpr bool good = true;
  using type = T;
};
template <class F, bool callable>
struct sample_of_batch {
  static_assert(callable,
                "batches_of: the function cannot be called: it must take a const BatchInfo&, and "
                "not be mutable");
  using type = int;
};
template <class F>
struct sample_of_batch<F, true> {
  using Gives = sample_in<std::decay_t<std::invoke_result_t<const F&, const BatchInfo&>>>;
  static_assert(Gives::good,
                "batches_of: the function must return a std::vector of samples, each a value or a "
                "std::tuple of values");
  using type = typename Gives::type;
};
template <class F>
using sample_of_batch_t =
    typename sample_of_batch<F, std::is_invocable_v<const F&, const BatchInfo&>>::type;
template <class F>
concept gives_batches = std::is_invocable_v<const F&, const BatchInfo&> &&
    sample_in<std::decay_t<std::invoke_result_t<const F&, const BatchInfo&>>>::good;

// Throws BuildError for numbers out of range.
void check_batches(std::int64_t count, std::int64_t size, int threads);
[[noreturn]] void throw_too_many(const BatchInfo& info, std::size_t given);

// The groups of the current epoch; one epoch runs at a time.
template <class Sample>
class Groups {
 public:
  using Make = Function<std::vector<Sample>(const BatchInfo&)>;

  Groups(std::int64_t size, Make f, const BatchesOptions& options)
      : size_(size),
        f_(std::move(f)),
        wanted_threads_(static_cast<std::size_t>(options.threads)),
        fewer_end_(options.fewer_end) {}

  void begin(const EpochInfo& info) {
    if (wanted_threads_ > 0) threads_.start(wanted_threads_, [this] { work(); });
    const SourceThreads::Lock lock(threads_);
    info_ = info;
    open_ = true;
  }

  // A group whose function still runs answers when the function returns. No other group answers.
  void end() noexcept {
    std::map<std::int64_t, GroupPtr> groups;  // what they hold is destroyed outside the lock
    std::vector<GroupPtr> queue;
    const SourceThreads::Lock lock(threads_);
    open_ = false;
    groups_.swap(groups);
    queue_.swap(queue);
  }

  void ask(Completion<Sample> done, std::int64_t position) {
    std::map<std::int64_t, GroupPtr> left;
    SourceThreads::Lock lock(threads_);
    if (!open_) return;
    const GroupPtr group = group_at(position, left);
    const auto place = static_cast<std::size_t>(position - group->first);
    if (group->state == Group::State::over) {
      lock.unlock();
      return give(*group, place, std::move(done));
    }
    const bool begins = group->state == Group::State::fresh;
    if (begins && threads_.started()) queue_.push_back(group);
    if (begins) group->state = threads_.started() ? Group::State::queued : Group::State::running;
    group->asked[place] = std::move(done);
    lock.unlock();
    if (!begins) return;
    if (threads_.started()) {
      threads_.wake_one();
    } else {
      run(*group, place);
    }
  }

  void answer_alone(Completion<Sample> done, const SampleInfo& info) const {
    const SampleKey key = info.key();
    try {
      std::vector<Sample> values =
          call({.epoch = key.epoch, .batch = -1, .first = info.index_in_epoch, .keys = {&key, 1}});
      (void)done.set(std::move(values.front()));
    } catch (...) {
      (void)done.fail(std::current_exception());
    }
  }

 private:
  struct Group {
    enum class State : std::uint8_t { fresh, queued, running, over };
    State state = State::fresh;
    std::int64_t number = 0;
    std::int64_t first = 0;
    std::vector<Completion<Sample>> asked;  // the waiting requests, by place in the group
    std::vector<Sample> values;             // once it is over
    std::exception_ptr error;
  };
  using GroupPtr = std::shared_ptr<Group>;

  // Returns the group of `position`. Moves groups that will not be asked again to `left`.
  GroupPtr group_at(std::int64_t position, std::map<std::int64_t, GroupPtr>& left) {
    const std::int64_t number = position / size_;
    if (const auto known = groups_.find(number); known != groups_.end()) return known->second;
    auto group = std::make_shared<Group>();
    group->number = number;
    group->first = number * size_;
    const std::int64_t rest = info_.samples - group->first;
    group->asked =
        std::vector<Completion<Sample>>(static_cast<std::size_t>(rest < size_ ? rest : size_));
    groups_.emplace(number, group);
    const auto last_of = [&](std::int64_t n) { return (n + 1) * size_ - 1; };
    while (last_of(groups_.begin()->first) <= position - info_.window)
      left.insert(groups_.extract(groups_.begin()));
    return group;
  }

  void work() noexcept {
    SourceThreads::Lock lock(threads_);
    while (threads_.wait(lock, [&] { return !queue_.empty(); })) {
      const GroupPtr group = std::move(queue_.front());
      queue_.erase(queue_.begin());
      group->state = Group::State::running;
      std::size_t place = 0;  // of a waiting request
      while (!group->asked[place]) ++place;
      lock.unlock();
      run(*group, place);
      lock.lock();
    }
  }

  // Runs the function for the group. `place` is the place of a waiting request.
  void run(Group& group, std::size_t place) noexcept {
    std::vector<Sample> values;
    std::exception_ptr error;
    {
      const StepScope scope(group.asked[place]);
      try {
        std::vector<SampleKey> keys;
        keys.reserve(group.asked.size());
        try {
          for (std::size_t i = 0; i < group.asked.size(); ++i)
            keys.push_back(info_.key(group.first + static_cast<std::int64_t>(i)));
        } catch (const EndOfEpoch&) {  // from a user-defined order: the rest is never requested
        }
        values =
            call({.epoch = info_.epoch, .batch = group.number, .first = group.first, .keys = keys});
      } catch (...) {
        error = std::current_exception();
      }
    }
    {
      const SourceThreads::Lock lock(threads_);
      group.values = std::move(values);
      group.error = error;
      group.state = Group::State::over;
    }
    for (std::size_t i = 0; i < group.asked.size(); ++i) {
      if (group.asked[i]) give(group, i, std::move(group.asked[i]));
    }
  }

  std::vector<Sample> call(const BatchInfo& info) const {
    std::vector<Sample> values = f_(info);
    if (values.size() > info.keys.size()) throw_too_many(info, values.size());
    if (values.empty()) throw EndOfEpoch();
    return values;
  }

  // Answers one request. Each place is requested once, so the value is moved out.
  void give(Group& group, std::size_t place, Completion<Sample> done) const noexcept {
    if (group.error != nullptr) {
      (void)done.fail(group.error);
    } else if (place < group.values.size()) {
      (void)done.set(std::move(group.values[place]));
    } else if (fewer_end_) {
      (void)done.fail(std::make_exception_ptr(EndOfEpoch()));
    } else {
      (void)done.filter();
    }
  }

  const std::int64_t size_;
  const Make f_;
  const std::size_t wanted_threads_;
  const bool fewer_end_;
  EpochInfo info_;  // does not change while groups run
  bool open_ = false;
  std::map<std::int64_t, GroupPtr> groups_;  // by number
  std::vector<GroupPtr> queue_;  // short: at most one entry for each group of the window
  SourceThreads threads_;        // last: its threads use all of the above
};

}  // namespace detail

template <class T>
class Batches {
 public:
  using Sample = T;
  using Make = typename detail::Groups<Sample>::Make;

  Batches(std::int64_t count, std::int64_t size, Make f, const BatchesOptions& options)
      : f_(std::move(f)), count_(count), size_(size), options_(options) {
    detail::check_batches(count, size, options.threads);
    make_groups();
  }
  Batches(const Batches& other)
      : f_(other.f_), count_(other.count_), size_(other.size_), options_(other.options_) {
    make_groups();
  }
  Batches(Batches&&) noexcept = default;
  Batches& operator=(const Batches&) = delete;
  Batches& operator=(Batches&&) = delete;
  ~Batches() = default;

  std::int64_t size() const { return count_; }
  std::string name(std::int64_t) const { return {}; }
  void begin_epoch(const EpochInfo& info) const { groups_->begin(info); }
  void end_epoch() const noexcept { groups_->end(); }
  void operator()(Completion<Sample> done, const SampleInfo& info) const {
    if (done.out_of_turn()) {
      groups_->answer_alone(std::move(done), info);
    } else {
      groups_->ask(std::move(done), info.index_in_epoch);
    }
  }

 private:
  void make_groups() { groups_ = std::make_unique<detail::Groups<Sample>>(size_, f_, options_); }

  Make f_;
  std::int64_t count_;
  std::int64_t size_;
  BatchesOptions options_;
  std::unique_ptr<detail::Groups<Sample>> groups_;
};

// Returns a dataset of `count` samples, or kUntilEnd, in groups of `size`.
template <class F>
auto batches_of(std::int64_t count, std::int64_t size, F f, const BatchesOptions& options = {}) {
  using Sample = detail::sample_of_batch_t<F>;
  if constexpr (detail::gives_batches<F>) {
    detail::require_function("batches_of", f);
    return Batches<Sample>(
        count, size,
        [f = std::make_shared<const F>(std::move(f))](const BatchInfo& info) { return (*f)(info); },
        options);
  }
}

}  // namespace sluice
