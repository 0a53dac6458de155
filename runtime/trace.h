// Trace: records what happened when, on which thread, and writes it as a file for Perfetto
// (ui.perfetto.dev) and chrome://tracing. Knows nothing of pipelines: only tracks, names and times.
//
//   Trace trace("trace.json", 100000);
//   trace.set_name(7, "decode", "if_else:then");   // before the first event that refers to it
//   trace.use_here(trace.add_track("worker 0"));   // on the worker's thread
//   trace.slice(7, from, to, {...});               // on any thread
//   trace.finish();                                // writes the file
//
// Memory is bounded: a track keeps its first `max_events` events and counts the others; the file
// contains the count. Adding an event takes no memory. It takes no lock on a thread with its own
// track; threads without one share a track and a lock.
//
// Ownership: owns its tracks and, from the constructor to finish(), the file, which it locks
// against other traces. Threads: use_here(), slice() and wait() from any. A track that is passed to
// a call belongs to one thread at a time. Call finish() when no other thread adds events any more.
// Errors: the constructor throws BuildError for a file that cannot be written or that another trace
// writes. finish() logs its errors (log.h), and leaves the file empty.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace sluice {

// The sample that a slice is about; negative fields are left out.
struct TraceArgs {
  std::int64_t epoch = -1;
  std::int64_t sample = -1;
  std::int64_t position = -1;
  std::int64_t batch = -1;
};
// The arguments of a device batch: work that was done for many samples at once.
struct TraceDeviceBatchArgs {
  std::int64_t samples = -1;
  std::int64_t bytes = -1;
  std::int64_t ahead = -1;  // 1 if it was begun ahead of need, else 0
};

class Trace {
 public:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;
  using NameId = std::uint32_t;
  class Track;

  Trace(const std::string& file, std::size_t max_events);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // `where` is the part of a program that the name belongs to; it may be empty.
  void set_name(NameId id, std::string name, std::string where = {});
  // Returns an id for a name that appears while the trace is taken, the same id for the same texts.
  // Ids for set_name() must be below 2^31, so that they differ from these. From any thread.
  NameId name_of(const std::string& name, const std::string& where = {});
  // Tracks appear in the file in the order in which they were added.
  Track& add_track(const std::string& name);
  // Sends the events of this thread to the track, which no other thread may use.
  void use_here(Track& track);

  // Adds something that this thread did.
  void slice(NameId name, Time from, Time to, const TraceArgs& args);
  // Adds something that lasted without a thread: it may begin and end anywhere, and overlap others.
  void wait(NameId name, Time from, Time to, const TraceArgs& args);
  // The same for a track that the caller manages.
  void slice(Track& track, NameId name, Time from, Time to, const TraceArgs& args);
  void add_device_batch(Track& track, NameId name, Time from, Time to,
                        const TraceDeviceBatchArgs& args);
  void counter(Track& track, NameId name, Time at, std::int64_t value);

  // Writes the file. Events that are added later are dropped. A second call does nothing.
  void finish() noexcept;

 private:
  enum class EventKind : std::uint8_t { slice, wait, counter, device_batch };
  struct Event;
  struct Name {
    std::string text, where;
  };
  class Writer;

  void add_here(const Event& event);
  Event event_of(EventKind kind, NameId name, Time from, Time to, const TraceArgs& args) const;
  void write();

  const std::string file_;
  const std::size_t max_events_;
  const Time begin_ = Clock::now();
  int descriptor_ = -1;
  bool regular_ = false;  // a file, not a device or a pipe
  std::map<NameId, Name> names_;
  std::mutex mutex_;  // guards tracks_, the shared track and later_
  std::map<std::pair<std::string, std::string>, NameId> later_;
  std::vector<std::unique_ptr<Track>> tracks_;
  Track* shared_ = nullptr;  // for threads without a track of their own
  std::atomic<bool> finished_{false};
};

}  // namespace sluice
