#include <sluice/runtime/error.h>
#include <sluice/runtime/log.h>
#include <sluice/runtime/text.h>
#include <sluice/runtime/trace.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sluice {
namespace {

// Returns a name as a JSON string. escape_control_chars() has left only these two characters to
// escape.
std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : escape_control_chars(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw BuildError("the trace cannot be written to '" + escape_control_chars(file) + "': " + why);
}

std::string reason_of(int error) { return std::generic_category().message(error); }

}  // namespace

// Without initial values, so that the memory of a large array is not touched.
struct Trace::Event {
  std::int64_t from, to;  // nanoseconds since the trace began; for a counter, `to` is the value
  std::int64_t epoch, sample, position, batch;  // of a device batch, first two: samples, bytes
  NameId name;
  EventKind kind;
};

class Trace::Track {
 public:
  // The memory is not touched before it is used.
  Track(const Trace& owner, std::string name, std::size_t max_events)
      : owner_(owner), name_(std::move(name)), room_(max_events), events_(new Event[max_events]) {}

  bool is_of(const Trace& trace) const { return &owner_ == &trace; }
  void add(const Event& event) {
    if (count_ < room_) {
      events_[count_++] = event;
    } else {
      ++dropped_;
    }
  }
  const std::string& name() const { return name_; }
  const Event* begin() const { return events_.get(); }
  const Event* end() const { return events_.get() + count_; }
  std::uint64_t dropped() const { return dropped_; }

 private:
  const Trace& owner_;
  const std::string name_;
  const std::size_t room_;
  const std::unique_ptr<Event[]> events_;
  std::size_t count_ = 0;
  std::uint64_t dropped_ = 0;
};

namespace {
// A thread with a track works for one trace, and ends before the trace does.
constinit thread_local Trace::Track* track_here = nullptr;
}  // namespace

// Buffers text, and writes it to the file.
class Trace::Writer {
 public:
  explicit Writer(int descriptor) : descriptor_(descriptor) {}

  template <class... Args>
  void add(fmt::format_string<Args...> form, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Args>(args)...);
    constexpr std::size_t kPart = std::size_t{1} << 18;
    if (text_.size() >= kPart) flush();
  }
  void flush() {
    std::size_t done = 0;
    while (done < text_.size()) {
      const ssize_t wrote = ::write(descriptor_, text_.data() + done, text_.size() - done);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) throw Error(reason_of(errno));
      done += static_cast<std::size_t>(wrote);
    }
    text_.clear();
  }

 private:
  const int descriptor_;
  std::string text_;
};

Trace::Trace(const std::string& file, std::size_t max_events)
    : file_(file), max_events_(std::max<std::size_t>(max_events, 1)) {
  // The old content stays until the trace is written.
  descriptor_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) refuse(file, reason_of(errno));
  struct stat status {};
  regular_ = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  if (regular_ && ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor_);
    refuse(file, "another pipeline writes its trace there; give each pipeline its own file");
  }
}

Trace::~Trace() {
  finish();
  if (track_here != nullptr && track_here->is_of(*this)) track_here = nullptr;
}

void Trace::set_name(NameId id, std::string name, std::string where) {
  names_[id] = {std::move(name), std::move(where)};
}

Trace::NameId Trace::name_of(const std::string& name, const std::string& where) {
  constexpr NameId kFirst = NameId{1} << 31;
  const std::lock_guard lock(mutex_);
  const auto next = static_cast<NameId>(kFirst + later_.size());
  return later_.try_emplace({name, where}, next).first->second;
}

Trace::Track& Trace::add_track(const std::string& name) {
  const std::lock_guard lock(mutex_);
  tracks_.push_back(std::make_unique<Track>(*this, name, max_events_));
  return *tracks_.back();
}

void Trace::use_here(Track& track) { track_here = &track; }

Trace::Event Trace::event_of(EventKind kind, NameId name, Time from, Time to,
                             const TraceArgs& args) const {
  const auto since_begin = [this](Time at) {
    return std::chrono::nanoseconds(at - begin_).count();
  };
  return {since_begin(from), since_begin(to), args.epoch, args.sample,
          args.position,     args.batch,      name,       kind};
}

void Trace::add_here(const Event& event) {
  if (track_here != nullptr && track_here->is_of(*this)) {
    track_here->add(event);
    return;
  }
  const std::lock_guard lock(mutex_);
  if (shared_ == nullptr) {
    try {
      tracks_.push_back(std::make_unique<Track>(*this, "other threads", max_events_));
    } catch (const std::exception&) {  // no memory for it
      return;
    }
    shared_ = tracks_.back().get();
  }
  shared_->add(event);
}

void Trace::slice(NameId name, Time from, Time to, const TraceArgs& args) {
  add_here(event_of(EventKind::slice, name, from, to, args));
}
void Trace::wait(NameId name, Time from, Time to, const TraceArgs& args) {
  add_here(event_of(EventKind::wait, name, from, to, args));
}
void Trace::slice(Track& track, NameId name, Time from, Time to, const TraceArgs& args) {
  if (finished_.load(std::memory_order_relaxed)) return;
  track.add(event_of(EventKind::slice, name, from, to, args));
}
void Trace::add_device_batch(Track& track, NameId name, Time from, Time to,
                             const TraceDeviceBatchArgs& args) {
  if (finished_.load(std::memory_order_relaxed)) return;
  track.add(event_of(EventKind::device_batch, name, from, to,
                     {.epoch = args.samples, .sample = args.bytes, .position = args.ahead}));
}
void Trace::counter(Track& track, NameId name, Time at, std::int64_t value) {
  if (finished_.load(std::memory_order_relaxed)) return;
  Event event = event_of(EventKind::counter, name, at, at, {});
  event.to = value;
  track.add(event);
}

void Trace::write() {
  if (regular_ && ::ftruncate(descriptor_, 0) != 0) throw Error(reason_of(errno));
  Writer out(descriptor_);
  const auto pid = static_cast<long>(::getpid());
  std::uint64_t dropped = 0;
  std::int64_t waits = 0;
  out.add("{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
  out.add("{{\"ph\":\"M\",\"pid\":{},\"name\":\"process_name\",\"args\":{{\"name\":\"sluice\"}}}}",
          pid);
  // If a pipeline is destroyed at once, one of its threads may still be adding its track.
  const std::lock_guard lock(mutex_);
  std::map<NameId, std::string> names, places;
  const auto know = [&](NameId id, const std::string& text, const std::string& where) {
    names[id] = json_text(text);
    if (!where.empty()) places[id] = "\"in\":" + json_text(where);
  };
  for (const auto& [id, name] : names_) know(id, name.text, name.where);
  for (const auto& [name, id] : later_) know(id, name.first, name.second);
  // Nanoseconds as microseconds, the unit of the format.
  const auto time = [](std::int64_t ns) {
    return fmt::format("{}.{:03}", std::max<std::int64_t>(ns, 0) / 1000,
                       std::max<std::int64_t>(ns, 0) % 1000);
  };
  const auto args_of = [&](const Event& event) {
    std::string text;
    const auto add = [&](const char* name, std::int64_t value) {
      if (value >= 0) text += fmt::format("{}\"{}\":{}", text.empty() ? "" : ",", name, value);
    };
    const bool device_batch = event.kind == EventKind::device_batch;
    add(device_batch ? "bytes" : "sample", event.sample);
    add(device_batch ? "samples" : "epoch", event.epoch);
    add(device_batch ? "ahead" : "position", event.position);
    add("batch", event.batch);
    const std::string& in = places[event.name];
    return text + (text.empty() || in.empty() ? "" : ",") + in;
  };
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    const Track& track = *tracks_[i];
    const std::size_t tid = i + 1;
    dropped += track.dropped();
    const std::string head = fmt::format("\"pid\":{},\"tid\":{}", pid, tid);
    out.add(",\n{{\"ph\":\"M\",{},\"name\":\"thread_name\",\"args\":{{\"name\":{}}}}}", head,
            json_text(track.name()));
    out.add(",\n{{\"ph\":\"M\",{},\"name\":\"thread_sort_index\",\"args\":{{\"sort_index\":{}}}}}",
            head, tid);
    for (const Event& event : track) {
      std::string& name = names[event.name];
      if (name.empty()) name = "\"\"";
      if (event.kind == EventKind::counter) {
        out.add(",\n{{\"ph\":\"C\",{},\"ts\":{},\"name\":{},\"args\":{{\"value\":{}}}}}", head,
                time(event.from), name, event.to);
      } else if (event.kind != EventKind::wait) {
        out.add(
            ",\n{{\"ph\":\"X\",{},\"ts\":{},\"dur\":{},\"name\":{},\"cat\":\"step\",\"args\":{{{}}}"
            "}}",
            head, time(event.from), time(event.to - event.from), name, args_of(event));
      } else {
        const std::int64_t id = ++waits;
        out.add(
            ",\n{{\"ph\":\"b\",{},\"ts\":{},\"id\":{},\"name\":{},\"cat\":\"wait\",\"args\":{{{}}}"
            "}}",
            head, time(event.from), id, name, args_of(event));
        out.add(",\n{{\"ph\":\"e\",{},\"ts\":{},\"id\":{},\"name\":{},\"cat\":\"wait\"}}", head,
                time(event.to), id, name);
      }
    }
  }
  out.add("\n],\"otherData\":{{\"max_events_of_a_track\":{},\"dropped_events\":{}}}}}\n",
          max_events_, dropped);
  out.flush();
}

void Trace::finish() noexcept {
  if (finished_.exchange(true)) return;
  bool written = false;
  try {
    write();
    written = true;
  } catch (const std::exception& error) {
    try {
      detail::log_message({"the trace cannot be written to '", escape_control_chars(file_),
                           "': ", error.what(), "; the run itself is not affected"});
    } catch (const std::exception&) {  // no memory for the message
      detail::log_message({"the trace cannot be written, as there is no memory left"});
    }
    if (regular_) (void)!::ftruncate(descriptor_, 0);
  }
  if (::close(descriptor_) != 0 && written) detail::log_message({"the trace may be incomplete"});
}

}  // namespace sluice
