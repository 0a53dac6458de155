// What an engine and its sources tell each other: when epochs begin and end, what was read, and
// what worker processes did.
#pragma once

#include <sluice/runtime/function.h>
#include <sluice/runtime/sample_key.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace sluice {

// WorkerStats: what the worker processes of a step have done.
//
// Ownership: none. Threads: a value. Errors: none.

struct WorkerStats {
  int workers = 0;             // that were asked for
  int ready = 0;               // of these, at work, or could be
  std::int64_t samples = 0;    // that they have given
  std::int64_t restarts = 0;   // of workers that had ended, against WorkerOptions::restarts
  std::int64_t renewals = 0;   // of workers that had made WorkerOptions::renew_after samples
  std::size_t bytes_held = 0;  // of values in shared memory that somebody uses
};

// SourceReads: what a source has read of its files, as plain data. Threads: like any
// data. No errors.

struct SourceReads {
  std::int64_t files = 0;       // that samples were made of; one of two samples counts twice
  std::int64_t file_bytes = 0;  // which these files have
  std::int64_t bytes_read = 0;  // of them: less than they have where only parts were needed

  SourceReads& operator+=(const SourceReads& more) {
    files += more.files;
    file_bytes += more.file_bytes;
    bytes_read += more.bytes_read;
    return *this;
  }
  SourceReads operator-(const SourceReads& before) const {
    return {files - before.files, file_bytes - before.file_bytes, bytes_read - before.bytes_read};
  }
  bool operator==(const SourceReads&) const = default;
};

namespace detail {

// The functions of a source that checkpoints and stats call.
struct DatasetRecord {
  std::string step;
  Function<std::string()> fingerprint = {};  // each may be empty
  // Gives the source's state just before this sample of this epoch.
  Function<std::string(std::int64_t epoch, std::int64_t position)> save = {};
  Function<void(std::int64_t epoch, std::int64_t position, const std::string& state)> restore = {};
  // What it has read since it was made, for whatever pipelines; empty where it does not count.
  Function<SourceReads()> reads = {};
};

}  // namespace detail

// EpochInfo: what a dataset is told before an epoch asks it for samples. EpochHooks: how it is told
// so, and that the epoch is over; and what it tells of its workers.
//
// Ownership: a value; its function shares what it needs, and may be kept. Threads: the function may
// be called on any, several at once. Errors: it throws what an order of the user's throws, which is
// EndOfEpoch behind the end.

struct EpochInfo {
  std::int64_t epoch = 0;
  // Position (SampleInfo::index_in_epoch) of the first sample that will be asked for: above 0 when
  // an epoch is resumed.
  std::int64_t first = 0;
  // No sample is asked for at this position or behind it; kUntilEnd where that is not known.
  std::int64_t samples = 0;
  // Positions that may be under way at once: when the one at p is asked for, those at p - window
  // and before have been delivered, or never will be asked for.
  std::int64_t window = 0;
  // Which sample stands at a position.
  Function<SampleKey(std::int64_t position)> key = {};
};

namespace detail {

struct EpochHooks {
  Function<void(const EpochInfo&)> begin;  // each may be empty
  Function<void()> end;                    // throws nothing
  Function<WorkerStats()> workers;         // of a step that has some
};

// Open between the beginning and the end of an epoch.
class EpochGate {
 public:
  EpochGate();
  ~EpochGate();
  EpochGate(const EpochGate&) = delete;
  EpochGate& operator=(const EpochGate&) = delete;

  void open() noexcept;
  // Waits until running calls of pass() have returned, at most 5 seconds: such a call may itself
  // wait for the end of the epoch.
  void close() noexcept;
  // Calls f() if it is open.
  template <class F>
  void pass(F&& f) const {
    const Pass here(*this);
    if (is_open()) std::forward<F>(f)();
  }

 private:
  // Keeps close() waiting while pass() runs.
  class Pass {
   public:
    explicit Pass(const EpochGate& gate) : gate_(gate) { gate_.enter(); }
    ~Pass() { gate_.leave(); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    const EpochGate& gate_;
  };
  void enter() const;
  void leave() const noexcept;
  bool is_open() const noexcept;

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace detail
}  // namespace sluice
