// Sample: the state of one sample while it moves through a plan. StepCounters holds its counters,
// ExecutionPath its path through branches and loops, and Wait the state of a step that waits.
#pragma once

#include <sluice/graph/plan/slot.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/memory.h>
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
  // Called when the sample may go on. The listener may be destroyed once the sample has been sent
  // on.
  virtual void wait_is_over(Sample& sample) noexcept = 0;

 protected:
  ~WaitListener() = default;
};

// Wait: the state of a sample that waits in a step. CompletionHandle ends the wait.
//
// A wait is over when both of its parties have left it: the step's function has returned, and the
// handle was fired or destroyed. So the function's arguments stay valid until it has returned and
// the handle is gone. A sample also survives a function that throws after it has passed the handle
// on. The last party to leave calls the listener, on its own thread.
//
// Ownership: the handle refers to the sample. The sample does not go on, and its pipeline is not
// destroyed, before the handle is fired or destroyed. Threads: a handle may be fired and destroyed
// on any thread; if several threads fire it at once, only the first has an effect. Errors: nothing
// is thrown; an exception while the value is stored becomes the sample's error.
struct Wait {
  void begin(WaitListener& to, BufferPool& buffers) {
    listener = &to;
    pool = &buffers;
    thrown = nullptr;
    bytes_begun = bytes_given = 0;
    open.store(2, std::memory_order_relaxed);
  }
  // Returns true for the last party to leave.
  bool leave() { return open.fetch_sub(1, std::memory_order_acq_rel) == 1; }

  WaitListener* listener = nullptr;
  BufferPool* pool = nullptr;   // for memory that the sample takes meanwhile
  std::exception_ptr thrown;    // by the step's function
  std::size_t bytes_begun = 0;  // pool memory that the function took
  std::size_t bytes_given = 0;  // pool memory that the value took
  std::int64_t since = 0;       // nanoseconds of the steady clock, if steps are timed or traced
  // For a GPU batch, see device_batch_plan.h: the part that the sample begins at, the part that it
  // has stopped at (0: none), the length of its path on arrival, and the number of steps added for
  // it.
  std::size_t from = 0;
  std::size_t stopped = 0;
  std::size_t branches_before = 0;
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

  // True if it can still be fired.
  explicit operator bool() const { return sample_.load(std::memory_order_acquire) != nullptr; }
  // For a dataset's handle that can still be fired: true if the epoch's own order does not request
  // this sample now. It then replaces a failed sample, or Pipeline::inspect() requests it.
  bool out_of_turn() const noexcept;

 protected:
  // Calls give(sample) and returns true the first time. Later calls return false and do nothing.
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

// StepCounters: the counters of one Sample object. They count branches taken, loop iterations, step
// runs and their times. The pass `number` numbers the counters of a plan's parts. Every Sample of a
// pipeline has all counters, and the reader adds them up. So counting never waits for another
// thread.
//
// Ownership: owns its counters for as long as the Sample lives: they continue from epoch to epoch.
// Threads: add() by the task that runs the sample; everything else from any thread, at any time.

class StepCounters {
 public:
  // Makes a StepCounters that counts nothing.
  StepCounters() = default;
  // Makes counters 0 to count - 1. With `timed`, steps are counted and timed, too.
  StepCounters(CounterId count, bool timed)
      : lines_(count > 0 ? std::make_unique<Line[]>((count + kPerLine - 1) / kPerLine) : nullptr),
        count_(count),
        timed_(timed) {}

  bool timed() const { return timed_; }
  void add(CounterId counter, std::int64_t amount) {
    if (lines_ == nullptr) return;
    // There is only one writer, so nothing is lost between the load and the store.
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
  // Samples run on different threads, so no two of them share a cache line.
  struct alignas(64) Line {
    std::array<Counter, kPerLine> counters{};
  };

  std::unique_ptr<Line[]> lines_;
  CounterId count_ = 0;
  bool timed_ = false;
};

struct Choice;
struct Loop;
struct Plan;

// Returns the time in milliseconds, for stall detection. The coarse clock costs only a few
// nanoseconds, and its error of a few milliseconds does not matter here.
std::int64_t milliseconds_now();

// ExecutionPath: the path of a sample through the plan: the branches that it took, and the loops
// that it is or was in. A loop has one entry with the number of the iteration, followed by the
// branches of that iteration only. So a path is never longer than the longest path through the
// plan. The iterations also determine the seed of the sample's draws: see runtime/random.h.
//
// Ownership: refers to the plan, which outlives it. Threads: the task that runs the sample; loops()
// from any thread, at any time. Errors: none; after construction only text() and loops() allocate
// memory.
class ExecutionPath {
 public:
  explicit ExecutionPath(const Plan& plan);

  // Begins a new sample. `seed` is the seed of its draws outside of loops.
  void clear(std::uint64_t seed = 0);
  void take(const Choice& choice, std::uint32_t branch);
  // For branches that were taken in a row, without a loop between them. The index of the first one
  // is the length() before it was taken. branch() returns the branch taken, set_branch() replaces
  // it by the device's choice, and cut_back() removes branches that were not taken after all.
  std::size_t length() const { return entries_.size(); }
  std::size_t branch(std::size_t at) const { return static_cast<std::size_t>(entries_[at].number); }
  void set_branch(std::size_t at, std::size_t branch) {
    entries_[at].number = static_cast<std::int64_t>(branch);
  }
  void cut_back(std::size_t length) { entries_.resize(length); }
  // A loop begins, begins its next iteration, ends.
  void enter(const Loop& loop);
  void repeat(const Loop& loop);
  void leave(const Loop& loop);
  // The sample has ended, perhaps inside loops, and is in no loop any more. text() does not change.
  void end();

  // The seed of draws at this point: the sample's own outside of loops, else that of the iteration.
  // It is computed lazily, so that iterations without draws pay nothing.
  std::uint64_t seed() const { return depth_ == 0 ? seed_ : seed_in_loops(); }

  // Returns "if_else:then/while_loop (iteration 52)/select#2:branch 3"; iterations count from 0. A
  // loop that is over reads "while_loop (53 iterations)". The middle of a long path is left out.
  std::string text() const;

  // Returns the loops that the sample is in, outermost first.
  struct Place {
    const Loop* loop = nullptr;
    std::int64_t iteration = 0;
    std::int64_t since = 0;  // milliseconds_now() when the loop began
  };
  std::vector<Place> loops() const;

 private:
  struct Entry {
    const Choice* choice = nullptr;  // null for a loop
    const Loop* loop = nullptr;
    std::int64_t number = 0;  // the branch taken; the iteration, or their count if `over`
    bool over = false;
  };
  // Each has its own cache lines, because samples run on different threads.
  struct alignas(64) Watched {
    std::atomic<const Loop*> loop{nullptr};
    std::atomic<std::int64_t> iteration{0};
    std::atomic<std::int64_t> since{0};
    // Only for the task that runs the sample: the seed of the iteration, and whether it is known.
    // If it is known, the seeds of the loops around it are known, too.
    std::uint64_t seed = 0;
    bool has_seed = false;
  };
  // Removes the entries after the loop's own, and returns that one.
  Entry& cut_back_to(const Loop& loop);
  // Sets the iteration of the innermost loop.
  void set_iteration(std::int64_t iteration);
  std::uint64_t seed_in_loops() const;
  static std::string text_of(const Entry& entry);

  std::vector<Entry> entries_;
  std::size_t deepest_ = 0;             // greatest nesting depth of the plan's loops
  std::unique_ptr<Watched[]> watched_;  // the loops that the sample is in
  std::size_t depth_ = 0;
  std::uint64_t seed_ = 0;
};

}  // namespace sluice::detail

namespace sluice {

// SampleInfo: the sample that a source is asked for, which is number `index` of the dataset in this
// epoch. A source that uses only these two returns the same samples in any order of the epoch.
//
// index_in_epoch, index_in_batch and batch are for sources that generate samples. Without a
// sampler, index_in_epoch equals index, also for a replacement sample. With a sampler, a
// replacement sample has the index_in_epoch of the sample that it replaces.
struct SampleInfo {
  std::int64_t index_in_epoch = 0;  // always batch_size * batch + index_in_batch
  std::int64_t index_in_batch = 0;
  std::int64_t batch = 0;
  std::int64_t epoch = 0;
  std::int64_t index = 0;   // in the dataset
  std::int64_t repeat = 0;  // see SampleKey
  SampleKey key() const { return {epoch, index, repeat}; }
};

namespace detail {

struct PendingBatch;
class Column;
struct Step;

// Sample: the state of one sample: its values, its identity, and how it ended.
//
// Ownership: a pipeline owns a fixed number of Sample objects. Each holds one sample at a time,
// through the whole graph and until its batch is delivered; then it holds another one. Values live
// in slots that are constructed once and reused. A slot is a pointer: the result of a branch can be
// the same object that a step inside or outside the branch made (see alias()), without a copy.
//
// Threads: a Sample belongs to the task that holds its token or, while it waits, to the thread that
// fires the completion handle. running() and execution_path.loops() may be read from any thread.
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
  // Returns the slot's own storage; null for a slot that is only a pointer.
  void* storage(SlotId slot) { return storage_[slot].at; }
  void alias(SlotId to, SlotId from) { slots_[to] = slots_[from]; }

  // Releases what the slot's own storage holds.
  void release(SlotId slot) {
    if (const Storage& storage = storage_[slot]; storage.release != nullptr)
      storage.release(storage.at);
  }
  void release_all();

  // Sets whether a source may end the epoch.
  void set_open_ended(bool open_ended) { open_ended_ = open_ended; }
  // Makes it count the paths of its samples from now on, and also time their steps if `timed`.
  void count(bool timed);

  // Begins the sample with this key, at this position of the run. Its place in the epoch is
  // key.index. Its random numbers depend on seed and key, and in loops on the iterations.
  void begin(const SampleKey& key, std::int64_t position, std::uint64_t seed, int batch_size);
  // Sets the key that a sampler puts at this position, in place of the dataset's order.
  void set_key(const SampleKey& key) {
    key_ = first_key_ = key;
    has_sampler_ = true;
  }
  // Begins a replacement sample: another one of the same epoch, at the same position.
  void stand_in(std::int64_t index);

  // The key of the sample. The source is asked for it, and draws and names depend on it.
  const SampleKey& key() const { return key_; }
  // The key that this position should have; differs from key() if a replacement sample is here.
  const SampleKey& first_key() const { return first_key_; }
  // The position in the run, dense from 0. It orders batches and the ledger.
  std::int64_t position() const { return position_; }
  // The position in the epoch: equal to position(), unless the run began in the middle.
  std::int64_t id() const { return id_; }
  SampleInfo info() const {
    const std::int64_t place = has_sampler_ ? id_ : key_.index;
    return {place, place % batch_size_, place / batch_size_, key_.epoch, key_.index, key_.repeat};
  }
  int attempts() const { return attempts_; }
  // True if the sample runs by itself, for an inspection.
  bool is_alone() const { return alone_; }
  // True if the source is asked for it outside the epoch's own order: it is a replacement sample or
  // is alone.
  bool out_of_turn() const { return attempts_ > 0 || alone_; }
  void set_alone() { alone_ = true; }
  // Returns the key for the generator's draws at the sample's current place in the plan.
  RandomKey random_key(std::uint32_t generator) const {
    return {execution_path.seed(), static_cast<std::uint64_t>(key_.epoch),
            static_cast<std::uint64_t>(key_.index), generator,
            static_cast<std::uint64_t>(key_.repeat)};
  }
  std::uint64_t seed() const { return seed_; }

  // True if the sample ended early: it runs no more steps, but its token still goes to the batch.
  bool ended() const { return ended_; }
  bool failed() const { return failed_; }
  void cancel() { ended_ = true; }
  // Ends the sample as filtered, without an error.
  void drop() { ended_ = dropped_ = true; }
  bool dropped() const { return dropped_; }
  // Called when its source or sampler has thrown EndOfEpoch. The sample lies past the end of the
  // epoch and ends as cancelled. Throws Error if the epoch cannot end here.
  void end_epoch();
  bool past_end() const { return past_end_; }
  // Ends the sample with an error. If memory for the message is missing, the error says only that.
  void fail(std::string_view step, std::string_view what) noexcept;
  // Like fail(). If the number of samples is not known, this is also the last one.
  void fail_as_last(std::string_view step, std::string_view what) noexcept;
  bool last() const { return last_; }
  // True if the sample, or one that it replaces, has failed in a source.
  bool source_failed() const { return source_failed_; }
  // For steps, while they run. note() counts one of the step's events. warn() reports a problem
  // with the sample, which is still delivered; the batch lists the first few warnings.
  void note(std::size_t event);
  void warn(std::string_view what);
  const std::vector<SampleError>& warnings() const { return warnings_; }
  void forget_warnings(std::size_t from) {
    warnings_.erase(warnings_.begin() + static_cast<std::ptrdiff_t>(from), warnings_.end());
  }
  const SampleError* error() const { return failed_ ? &error_ : nullptr; }
  // The error of the first sample that was replaced; null if there was none.
  const SampleError* first_error() const { return stands_in_ ? &first_error_ : nullptr; }

  // Makes the results of a loop iteration the carried values. All assignments happen at once, so
  // values may swap places.
  void carry(const Loop& loop);

  void take_branch(const Choice& choice, std::uint32_t branch);
  std::string path() const { return execution_path.text(); }

  // The step that the sample's task runs, for stall detection from another thread; null between
  // tasks.
  void enter(const Step* step) { running_.store(step, std::memory_order_relaxed); }
  const Step* running() const { return running_.load(std::memory_order_relaxed); }
  // Stores the sample that begins a stage, and the time.
  void enter_stage();
  // The dataset index of the sample that began the last stage.
  std::int64_t running_sample() const { return running_sample_.load(std::memory_order_relaxed); }
  // Counts the samples that have ended in this object; ends() returns the count.
  void count_end() {
    ends_.store(ends_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  std::int64_t ends() const { return ends_.load(std::memory_order_relaxed); }
  // The seconds since the running stage began.
  double seconds_running() const;

  // Places one output of the sample directly into its cell of the batch.
  class OutputPlacer : public Placer {
   public:
    std::byte* place(const ValueSpec& spec) override;
    MemoryPlace where() const override;
    Column* column = nullptr;
    std::size_t cell = 0;
  };
  PendingBatch* batch = nullptr;      // the batch of the sample; the engine's
  std::vector<OutputPlacer> placers;  // one per output
  std::size_t bytes_allocated = 0;    // pool memory that this sample's steps took so far
  std::size_t bytes_waiting = 0;      // the same, when it last waited
  // The nanoseconds that the previous step spent on work of the current step. Set only if steps are
  // timed.
  std::int64_t within_step_before = 0;
  StepCounters counters;             // of all samples that this object has held
  ExecutionPath execution_path;      // of this sample
  Wait wait;                         // of the step that it waits in
  const Step* given_back = nullptr;  // the step that the host must do, since the device could not

 private:
  // The storage of a slot. It holds a value after construct().
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
  // Fills in the error. A text for which memory is missing stays empty, except `what`.
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
  SampleError error_;        // valid while failed_
  SampleError first_error_;  // valid while stands_in_
  std::vector<SampleError> warnings_;
  std::vector<void*> carried_;  // scratch of carry()
  std::atomic<const Step*> running_{nullptr};
  std::atomic<std::int64_t> running_sample_{-1};
  std::atomic<std::int64_t> ends_{0};
  std::atomic<std::int64_t> running_since_{0};  // milliseconds
};

}  // namespace detail
}  // namespace sluice
