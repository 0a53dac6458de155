// Sample: the record of one sample on its way through a plan; with what it counts (Tally), which
// way it goes (Trail) and what it waits for (Wait).
#pragma once

#include <sluice/graph/plan/slot.h>
#include <sluice/runtime/buffer_pool.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/sample_key.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::detail {

class Sample;

class WaitListener {
 public:
  // The sample may go on. The listener may be gone as soon as it has been sent on.
  virtual void wait_is_over(Sample& sample) noexcept = 0;

 protected:
  ~WaitListener() = default;
};

// Wait: what a record keeps while its sample waits in a step, and CompletionHandle, by which
// somebody says that the wait is over.
//
// A wait is over when both have left it: the function of the step, which has begun it, and the
// handle, which was fired or destroyed. So what the function was given stays valid until it has
// returned and the handle is gone, and a sample is never lost to a function that throws after it
// gave the handle away. Whoever leaves last tells the listener, on its own thread.
//
// Ownership: refers to the sample, which does not go on, and whose pipeline does not go, before
// the handle is fired or destroyed. Threads: a handle may be fired and destroyed on any thread;
// of several that fire it at once one is the first. Errors: nothing is thrown; what giving a value
// throws becomes the sample's error.
struct Wait {
  void begin(WaitListener& to, BufferPool& buffers) {
    listener = &to;
    pool = &buffers;
    thrown = nullptr;
    bytes_begun = bytes_given = 0;
    open.store(2, std::memory_order_relaxed);
  }
  // True for the one who leaves last.
  bool leave() { return open.fetch_sub(1, std::memory_order_acq_rel) == 1; }

  WaitListener* listener = nullptr;
  BufferPool* pool = nullptr;   // for what the sample takes of memory meanwhile
  std::exception_ptr thrown;    // by the step's function
  std::size_t bytes_begun = 0;  // that the function took
  std::size_t bytes_given = 0;  // that the value took
  std::int64_t since = 0;       // nanoseconds of the steady clock, if steps are timed or traced
  // Of a gather, see gathering.h: the part that the sample begins at, the one that it has stopped
  // at (0: none), how long its trail was when it came, and how many steps have been added for it.
  std::size_t from = 0;
  std::size_t stopped = 0;
  std::size_t arms_before = 0;
  std::size_t steps = 0;
  std::atomic<int> open{0};
};

class CompletionHandle {
 public:
  CompletionHandle() = default;
  explicit CompletionHandle(Sample& sample) : sample_(&sample) {}
  CompletionHandle(CompletionHandle&& other) noexcept : sample_(other.take()) {}
  CompletionHandle& operator=(CompletionHandle&& other) noexcept {
    if (this != &other) {
      drop();
      sample_.store(other.take(), std::memory_order_release);
    }
    return *this;
  }
  ~CompletionHandle() { drop(); }

  // Whether it can still be fired.
  explicit operator bool() const { return sample_.load(std::memory_order_acquire) != nullptr; }
  // Of one that can be fired, which a dataset was given: whether the epoch's own order does not ask
  // for its sample now. Then it stands in for one that failed, or Pipeline::inspect() looks at it.
  bool out_of_turn() const noexcept;

 protected:
  // Calls give(sample). False, and nothing is called, unless this is the first time.
  template <class Give>
  bool fire(const Give& give) noexcept {
    Sample* const sample = take();
    if (sample == nullptr) return false;
    give_to(
        *sample, [](const void* f, Sample& to) { (*static_cast<const Give*>(f))(to); }, &give);
    return true;
  }
  bool fire_error(std::string_view what) noexcept;
  bool fire_error(const std::exception_ptr& why) noexcept;
  bool fire_last_error(std::string_view what) noexcept;

 private:
  friend class StepScope;
  // Runs call(give, sample) and completes the sample with its result or its error.
  static void give_to(Sample& sample, void (*call)(const void*, Sample&),
                      const void* give) noexcept;
  static void leave(Sample& sample) noexcept;

  Sample* take() noexcept { return sample_.exchange(nullptr, std::memory_order_acq_rel); }
  void drop() noexcept;

  std::atomic<Sample*> sample_{nullptr};
};

// Tally: what one record has counted: which arms it took, how often loops went round, how often
// steps ran and how long they took. A plan numbers the counters of its parts (the pass `number`);
// every record of a pipeline has all of them, and whoever asks adds them up. So counting never
// waits for another thread.
//
// Ownership: owns its counters, for as long as the record lives: they go on from epoch to epoch.
// Threads: add() by the task that carries the record; the rest from any thread, at any time.

using CounterId = std::uint32_t;

class Tally {
 public:
  // Counts nothing.
  Tally() = default;
  // Counters 0 to count - 1. `timed`: steps are counted and timed, too.
  Tally(CounterId count, bool timed)
      : lines_(count > 0 ? std::make_unique<Line[]>((count + kPerLine - 1) / kPerLine) : nullptr),
        count_(count),
        timed_(timed) {}

  bool timed() const { return timed_; }
  void add(CounterId counter, std::int64_t amount) {
    if (lines_ == nullptr) return;
    // There is one writer, so that nothing is lost between the load and the store.
    Counter& c = lines_[counter / kPerLine].counters[counter % kPerLine];
    c.store(c.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  void add_to(std::vector<std::int64_t>& sums) const {
    for (CounterId i = 0; i < count_; ++i) {
      const Counter& c = lines_[i / kPerLine].counters[i % kPerLine];
      sums[i] += c.load(std::memory_order_relaxed);
    }
  }

 private:
  using Counter = std::atomic<std::int64_t>;
  static constexpr std::size_t kPerLine = 8;
  // Frames are at work on different threads: no two of them share a cache line.
  struct alignas(64) Line {
    std::array<Counter, kPerLine> counters{};
  };

  std::unique_ptr<Line[]> lines_;
  CounterId count_ = 0;
  bool timed_ = false;
};

struct Branch;
struct Loop;
struct Plan;

// The time in milliseconds, for whoever looks for a stall. The coarse clock costs a few
// nanoseconds, and its few milliseconds of error do not matter for that.
std::int64_t milliseconds_now();

// Trail: which way a sample has gone: the arms that it took, and the loops that it is or was in. Of
// a loop there is one entry with the number of the iteration; the arms are those of that iteration
// alone. So a trail is never longer than the longest way through the plan. The iterations also say
// with which seed the sample draws: see runtime/random.h.
//
// Ownership: refers to the plan, which outlives it. Threads: the task that carries the sample;
// loops() from any thread, at any time. Errors: none; once it is made only text() and loops() take
// memory.
class Trail {
 public:
  explicit Trail(const Plan& plan);

  // A sample begins, whose draws outside of loops have this seed.
  void clear(std::uint64_t seed = 0);
  void take(const Branch& branch, std::uint32_t arm);
  // Arms that were taken one after the other, without a loop between them, by the number of the
  // first: which they are, what the device has chosen instead, and that they were not taken after
  // all.
  std::size_t length() const { return entries_.size(); }
  std::size_t arm(std::size_t at) const { return static_cast<std::size_t>(entries_[at].number); }
  void set_arm(std::size_t at, std::size_t arm) {
    entries_[at].number = static_cast<std::int64_t>(arm);
  }
  void cut_back(std::size_t length) { entries_.resize(length); }
  // A loop begins, goes on with its next iteration, is over.
  void enter(const Loop& loop);
  void repeat(const Loop& loop);
  void leave(const Loop& loop);
  // The sample has ended, perhaps in loops: it is in none any more. What text() says stays.
  void end();

  // Of what is drawn here: outside of loops the sample's own, else that of the iteration.
  // Computed when it is first asked for, so that iterations without draws pay nothing.
  std::uint64_t seed() const { return depth_ == 0 ? seed_ : seed_in_loops(); }

  // "if_else:then/while_loop (iteration 52)/select#2:arm 3"; iterations are numbered from 0. Of a
  // loop that is over, "while_loop (53 iterations)". The middle of a long one is left out.
  std::string text() const;

  // The loops that the sample is in, the outermost first.
  struct Place {
    const Loop* loop = nullptr;
    std::int64_t iteration = 0;
    std::int64_t since = 0;  // milliseconds_now() when it began
  };
  std::vector<Place> loops() const;

 private:
  struct Entry {
    const Branch* branch = nullptr;  // null for a loop
    const Loop* loop = nullptr;
    std::int64_t number = 0;  // the arm; the iteration, or how many there were
    bool over = false;
  };
  // Each on cache lines of its own: samples are at work on different threads.
  struct alignas(64) Watched {
    std::atomic<const Loop*> loop{nullptr};
    std::atomic<std::int64_t> iteration{0};
    std::atomic<std::int64_t> since{0};
    // For the task that carries the sample alone: the seed of the iteration, and whether it is
    // known. Where it is, those of the loops around are, too.
    std::uint64_t seed = 0;
    bool has_seed = false;
  };
  // Drops what came after the loop began.
  Entry& cut_back_to(const Loop& loop);
  // The innermost loop is at this iteration.
  void set_iteration(std::int64_t iteration);
  std::uint64_t seed_in_loops() const;
  static std::string text_of(const Entry& entry);

  std::vector<Entry> entries_;
  std::size_t deepest_ = 0;             // how many loops of the plan lie in each other
  std::unique_ptr<Watched[]> watched_;  // the loops that the sample is in
  std::size_t depth_ = 0;
  std::uint64_t seed_ = 0;
};

}  // namespace sluice::detail

namespace sluice {

// Which sample a source is asked for: `index` of the data set, in this epoch. A source that looks
// at these alone gives the same samples in whatever order an epoch goes through the data set.
//
// index_in_epoch, index_in_batch and batch are for sources that make samples up as they go. Without
// a sampler, index_in_epoch equals index, also for a sample that stands in for another one; with a
// sampler, a stand-in is told the place of the sample that it replaces.
struct SampleInfo {
  std::int64_t index_in_epoch = 0;  // always batch_size * batch + index_in_batch
  std::int64_t index_in_batch = 0;
  std::int64_t batch = 0;
  std::int64_t epoch = 0;
  std::int64_t index = 0;   // in the data set
  std::int64_t repeat = 0;  // see SampleKey
  SampleKey key() const { return {epoch, index, repeat}; }
};

namespace detail {

struct BatchInMaking;
class Column;
struct Step;

// Sample: the record of one sample on its way: its values, its identity, how it ended.
//
// A pipeline owns a fixed number of records. A record carries one sample at a time, through the
// whole graph and until its batch is delivered; then it carries another. Values live in slots that
// are constructed once and reused; a slot is a pointer, so that the result of a branch can be the
// very object that an arm or somebody outside made (alias), without a copy.
//
// Threads: a record belongs to the task that carries its token, or, while its sample waits, to
// whoever fires the completion handle; running() and trail.loops() may be read from any thread.
class Sample {
 public:
  explicit Sample(const Plan& plan);
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;

  const Plan& plan() const { return plan_; }

  template <class T>
  T& get(SlotId slot) {
    return *static_cast<T*>(slots_[slot]);
  }
  template <class T>
  const T& get(SlotId slot) const {
    return *static_cast<const T*>(slots_[slot]);
  }
  void* address(SlotId slot) { return slots_[slot]; }
  const void* address(SlotId slot) const { return slots_[slot]; }
  // Where the slot's own storage is; null for a slot that is only a pointer.
  void* storage(SlotId slot) { return storage_[slot].at; }
  void alias(SlotId to, SlotId from) { slots_[to] = slots_[from]; }

  // Gives back what the slot's own storage holds.
  void release(SlotId slot) {
    if (const Storage& storage = storage_[slot]; storage.release != nullptr)
      storage.release(storage.at);
  }
  void release_all();

  // Whether a source may say that the epoch has ended.
  void set_open_ended(bool open_ended) { open_ended_ = open_ended; }
  // From now on the record counts which ways its samples go, and times their steps if asked.
  void count(bool timed);

  // Begins to carry the sample with this key, at this position. It stands at key.index in its
  // epoch. Its random numbers follow from seed and key, and in loops from the iterations.
  void begin(const SampleKey& key, std::int64_t position, std::uint64_t seed, int batch_size);
  // A sampler has another sample at this position than the data set has.
  void set_key(const SampleKey& key) {
    key_ = first_key_ = key;
    has_sampler_ = true;
  }
  // Carries another sample of the same epoch, at the same position.
  void stand_in(std::int64_t index);

  // Which sample it is: what the source is asked for, what draws and names follow from.
  const SampleKey& key() const { return key_; }
  // Which sample should be here; another than key() when that one failed.
  const SampleKey& first_key() const { return first_key_; }
  // Where it stands among the samples of the run, dense from 0: what orders batches and the ledger.
  std::int64_t position() const { return position_; }
  // Where it stands in the epoch: the same, unless the run began further on.
  std::int64_t id() const { return id_; }
  SampleInfo info() const {
    const std::int64_t place = has_sampler_ ? id_ : key_.index;
    return {place, place % batch_size_, place / batch_size_, key_.epoch, key_.index, key_.repeat};
  }
  int attempts() const { return attempts_; }
  // Whether somebody looks at it alone.
  bool is_alone() const { return alone_; }
  // Whether the source is asked for it beside the epoch's own order: it stands in for another one,
  // or is alone.
  bool out_of_turn() const { return attempts_ > 0 || alone_; }
  void set_alone() { alone_ = true; }
  // Of what the generator draws at the place where the sample is now.
  RandomKey random_key(std::uint32_t generator) const {
    return {trail.seed(), static_cast<std::uint64_t>(key_.epoch),
            static_cast<std::uint64_t>(key_.index), generator,
            static_cast<std::uint64_t>(key_.repeat)};
  }
  std::uint64_t seed() const { return seed_; }

  // A sample that has ended early runs no more steps; its token goes on to the batch all the same.
  bool ended() const { return ended_; }
  bool failed() const { return failed_; }
  void cancel() { ended_ = true; }
  // The sample is not wanted: it ends as filtered, without an error.
  void drop() { ended_ = dropped_ = true; }
  bool dropped() const { return dropped_; }
  // Its source, or its sampler, has thrown EndOfEpoch: it lies behind the end of the epoch, and
  // ends as cancelled. Throws Error when that cannot be.
  void end_epoch();
  bool past_end() const { return past_end_; }
  // Where there is no memory for the words, the error says just that.
  void fail(std::string_view step, std::string_view what) noexcept;
  // As fail(); where nobody knows how many samples there are, none comes after this one.
  void fail_as_last(std::string_view step, std::string_view what) noexcept;
  bool last() const { return last_; }
  // The sample, or the one that it replaces, has failed in a source.
  bool source_failed() const { return source_failed_; }
  // For steps, while they run. One of the step's events has happened. Something is wrong with the
  // sample, which is delivered all the same: the batch says so, of the first few warnings.
  void note(std::size_t event);
  void warn(std::string_view what);
  const std::vector<SampleError>& warnings() const { return warnings_; }
  void forget_warnings(std::size_t from) {
    warnings_.erase(warnings_.begin() + static_cast<std::ptrdiff_t>(from), warnings_.end());
  }
  const SampleError* error() const { return failed_ ? &error_ : nullptr; }
  // The error that made another sample stand in; null when there was none.
  const SampleError* first_error() const { return stands_in_ ? &first_error_ : nullptr; }

  // Makes carried values of what an iteration of the loop gave. Assignments happen at once: values
  // may change places.
  void carry(const Loop& loop);

  void take_arm(const Branch& branch, std::uint32_t arm);
  std::string path() const { return trail.text(); }

  // What the sample's task is doing, for whoever looks for a stall from another thread; null
  // between tasks.
  void enter(const Step* step) { running_.store(step, std::memory_order_relaxed); }
  const Step* running() const { return running_.load(std::memory_order_relaxed); }
  // Notes which sample begins a stage, and when.
  void enter_stage();
  // Its index in the data set.
  std::int64_t running_sample() const { return running_sample_.load(std::memory_order_relaxed); }
  // How often a sample has ended that the record carried.
  void count_end() {
    ends_.store(ends_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  std::int64_t ends() const { return ends_.load(std::memory_order_relaxed); }
  // How long ago the running stage began.
  double seconds_running() const;

  // The place in a batch that one output of the sample goes to.
  class OutputPlacer : public Placer {
   public:
    std::byte* place(const ValueSpec& spec) override;
    MemoryPlace where() const override;
    Column* column = nullptr;
    std::size_t cell = 0;
  };
  BatchInMaking* batch = nullptr;     // what the sample is part of; the engine's
  std::vector<OutputPlacer> placers;  // one per output
  std::size_t bytes_allocated = 0;    // pool memory that this sample's steps took so far
  std::size_t bytes_waiting = 0;      // of which when it last waited
  // Nanoseconds that the previous step spent on work of the current step. Set only if steps are
  // timed.
  std::int64_t within_step_before = 0;
  Tally tally;                       // of all samples that the record has carried
  Trail trail;                       // of this sample
  Wait wait;                         // of the step that it waits in
  const Step* given_back = nullptr;  // what the device could not do, so that the host shall

 private:
  // The storage of a slot, which holds a value from construct() on.
  struct Storage {
    Storage() = default;
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;
    ~Storage() {
      if (at != nullptr) type->destroy(at);
    }
    void construct(void* where, const SlotType& what) {
      what.construct(where);
      at = where;
      type = &what;
      release = what.release;
    }
    void* at = nullptr;
    const SlotType* type = nullptr;
    void (*release)(void*) = nullptr;
  };
  void restart();
  // Each of the error's texts is empty where there is no memory for it.
  void describe(SampleError& error, std::string_view step, std::string_view what) const noexcept;

  const Plan& plan_;
  std::vector<void*> slots_;
  std::unique_ptr<std::byte[]> memory_;
  std::vector<Storage> storage_;  // its values lie in memory_
  std::vector<SlotId> releasable_;
  SampleKey key_;
  SampleKey first_key_;
  std::int64_t position_ = -1;
  std::int64_t id_ = -1;
  int batch_size_ = 1;
  std::uint64_t seed_ = 0;
  int attempts_ = 0;
  bool ended_ = false;
  bool dropped_ = false;
  bool failed_ = false;
  bool past_end_ = false;
  bool last_ = false;
  bool source_failed_ = false;
  bool stands_in_ = false;
  bool has_sampler_ = false;
  bool open_ended_ = false;
  bool alone_ = false;
  SampleError error_;        // good while failed_
  SampleError first_error_;  // good while stands_in_
  std::vector<SampleError> warnings_;
  std::vector<void*> carried_;  // scratch of carry()
  std::atomic<const Step*> running_{nullptr};
  std::atomic<std::int64_t> running_sample_{-1};
  std::atomic<std::int64_t> ends_{0};
  std::atomic<std::int64_t> running_since_{0};  // milliseconds
};

}  // namespace detail
}  // namespace sluice
