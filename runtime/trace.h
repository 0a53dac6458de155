// Trace: what happened when, on which thread, as a file that Perfetto (ui.perfetto.dev) and
// chrome://tracing open. Knows nothing of pipelines: tracks, names and times.
//
//   Trace trace("trace.json", 100000);
//   trace.set_name(7, "decode", "if_else:then");   // before the first event that refers to it
//   trace.use_here(trace.add_track("worker 0"));   // on the worker's thread
//   trace.slice(7, from, to, {...});               // on any thread
//   trace.finish();                                // writes the file
//
// Memory is bounded: a track keeps its first `max_events` events and counts the others, which the
// file tells. Adding one takes no memory, and no lock on a thread with a track of its own; those
// without share one track and a lock.
//
// Ownership: owns its tracks and, from the beginning to the end, the file, which it locks against
// other traces. Threads: use_here(), slice() and wait() from any. A track that is named in a call
// belongs to one thread at a time; finish() when no other thread adds any more. Errors: the
// constructor throws BuildError for a file that cannot be written or that another trace writes;
// what goes wrong at the end is said on standard error, and the file is left empty.
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

// Which sample a slice is about; nothing is said of what is negative.
struct TraceArgs {
  std::int64_t epoch = -1;
  std::int64_t sample = -1;
  std::int64_t position = -1;
  std::int64_t batch = -1;
};
// The same for what was done for many samples in one go.
struct TraceGatherArgs {
  std::int64_t samples = -1;
  std::int64_t bytes = -1;
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

  // `where` says in which part of a program the name stands; it may be empty.
  void set_name(NameId id, std::string name, std::string where = {});
  // For names that show while the trace is taken: the same one for the same words, which none of
  // those that are set may have. From any thread.
  NameId name_of(const std::string& name, const std::string& where = {});
  // Tracks stand in the file in the order in which they were made.
  Track& add_track(const std::string& name);
  // What this thread adds goes to the track, which nobody else uses.
  void use_here(Track& track);

  // Something that this thread did.
  void slice(NameId name, Time from, Time to, const TraceArgs& args);
  // Something that lasted without a thread: it may begin and end anywhere, beside others.
  void wait(NameId name, Time from, Time to, const TraceArgs& args);
  // The same for a track that the caller sees to.
  void slice(Track& track, NameId name, Time from, Time to, const TraceArgs& args);
  void gathered(Track& track, NameId name, Time from, Time to, const TraceGatherArgs& args);
  void counter(Track& track, NameId name, Time at, std::int64_t value);

  // Writes the file; what is added later is dropped. The second call does nothing.
  void finish() noexcept;

 private:
  enum class EventKind : std::uint8_t { slice, wait, counter, gather };
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
  std::mutex mutex_;  // guards tracks_, the shared track and names that show later
  std::map<std::pair<std::string, std::string>, NameId> later_;
  std::vector<std::unique_ptr<Track>> tracks_;
  Track* shared_ = nullptr;  // of threads without one
  std::atomic<bool> finished_{false};
};

}  // namespace sluice
