// Sample: the record of one sample on its way: its values, its identity, how it ended.
//
// A pipeline owns a fixed number of records. A record carries one sample at a time, through the
// whole graph and until its batch is delivered; then it carries another. Values live in slots that
// are constructed once and reused; a slot is a pointer, so that the result of a branch can be the
// very object that an arm or somebody outside made (alias), without a copy.
//
// Threads: a record belongs to the task that carries its token, or, while its sample waits, to
// whoever fires the completion handle; running() and trail.loops() may be read from any thread.
#pragma once

#include <sluice/graph/plan/slot.h>
#include <sluice/graph/plan/tally.h>
#include <sluice/graph/plan/trail.h>
#include <sluice/graph/plan/wait.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/sample_key.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

// Which sample a source is asked for: `index` of the data set, in this epoch. A source that looks
// at these alone gives the same samples in whatever order an epoch goes through the data set.
//
// The place where the sample stands is for sources that make samples up as they go. It is the index
// where no sampler says otherwise: then a sample that stands in for another one is told of the
// place where it would stand itself; with a sampler it is told of the other one's.
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
struct Branch;
class Column;
struct Loop;
struct Plan;
struct Step;

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
  // Time that the step before the one that runs has spent for that one. Only where steps are timed.
  std::chrono::nanoseconds within_step_before{};
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
