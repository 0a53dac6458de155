// Types that the engine and its sources exchange: the begin and end of epochs, the amount of data
// read, and the work of worker processes.
#pragma once

#include <sluice/runtime/function.h>
#include <sluice/runtime/sample_key.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace sluice {

// WorkerStats: counts of the worker processes of a step.
//
// Ownership: none. Threads: a value. Errors: none.

struct WorkerStats {
  int workers = 0;             // requested
  int ready = 0;               // of these, working or able to work
  std::int64_t samples = 0;    // delivered
  std::int64_t restarts = 0;   // of workers that had ended; counted against WorkerOptions::restarts
  std::int64_t renewals = 0;   // of workers after WorkerOptions::renew_after samples
  std::size_t bytes_held = 0;  // by values in shared memory that are in use
};

// SourceReads: how much a source has read from its files, as plain data. Threads: like any data. No
// errors.

struct SourceReads {
  std::int64_t files = 0;       // that samples came from; a file of two samples counts twice
  std::int64_t file_bytes = 0;  // the total size of these files
  std::int64_t bytes_read = 0;  // less than file_bytes if only parts were needed
  std::int64_t verified = 0;    // files that had the digest in their index (Verify)
  std::int64_t repeated = 0;    // reads that were repeated after an I/O error

  SourceReads& operator+=(const SourceReads& more) {
    files += more.files;
    file_bytes += more.file_bytes;
    bytes_read += more.bytes_read;
    verified += more.verified;
    repeated += more.repeated;
    return *this;
  }
  SourceReads operator-(const SourceReads& before) const {
    return {files - before.files, file_bytes - before.file_bytes, bytes_read - before.bytes_read,
            verified - before.verified, repeated - before.repeated};
  }
  bool operator==(const SourceReads&) const = default;
};

namespace detail {

// The functions of a source that checkpoints and stats call.
struct DatasetRecord {
  std::string step;
  Function<std::string()> fingerprint = {};  // each may be empty
  // Returns the source's state just before this sample of this epoch.
  Function<std::string(std::int64_t epoch, std::int64_t position)> save = {};
  Function<void(std::int64_t epoch, std::int64_t position, const std::string& state)> restore = {};
  // Returns the totals since the source was made, over all pipelines; empty if it does not count.
  Function<SourceReads()> reads = {};
};

}  // namespace detail

// EpochInfo: describes an epoch to a dataset before samples are requested. EpochHooks: the
// functions that tell a dataset that an epoch begins or ends, and that return the stats of its
// workers.
//
// Ownership: a value; `key` shares what it needs, and may be kept. Threads: `key` may be called
// from several threads at once. Errors: `key` throws what a user-defined order throws, which is
// EndOfEpoch for positions after the end.

struct EpochInfo {
  std::int64_t epoch = 0;
  // The position (SampleInfo::index_in_epoch) of the first sample that will be requested: above 0
  // if an epoch is resumed.
  std::int64_t first = 0;
  // Samples are requested only at positions below this one; kUntilEnd if the end is not known.
  std::int64_t samples = 0;
  // The number of positions that may be in flight at once. When position p is requested, the
  // positions up to p - window have been delivered or will never be requested.
  std::int64_t window = 0;
  // Returns the key of the sample at a position.
  Function<SampleKey(std::int64_t position)> key = {};
};

namespace detail {

struct EpochHooks {
  Function<void(const EpochInfo&)> begin;  // each may be empty
  Function<void()> end;                    // must not throw
  Function<WorkerStats()> workers;         // for a step with worker processes
};

// EpochGate: runs functions only between the beginning and the end of an epoch.
class EpochGate {
 public:
  EpochGate();
  ~EpochGate();
  EpochGate(const EpochGate&) = delete;
  EpochGate& operator=(const EpochGate&) = delete;

  void open() noexcept;
  // Closes the gate, and waits until running calls of pass() have returned. It waits at most
  // 5 seconds, because such a call may itself wait for the end of the epoch.
  void close() noexcept;
  // Calls f() if the gate is open.
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
