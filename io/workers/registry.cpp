#include <sluice/io/workers/channel.h>
#include <sluice/io/workers/message.h>
#include <sluice/io/workers/registry.h>
#include <sluice/io/workers/shared_memory.h>
#include <sluice/io/workers/wire.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/log.h>
#include <sluice/runtime/memory.h>
#include <sluice/runtime/text.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>

namespace sluice::detail {
namespace {

struct Named {
  WorkerEntry entry;
  bool twice = false;
};

// Made on first use, and never destroyed.
std::map<std::string, Named, std::less<>>& named() {
  static auto* const all = new std::map<std::string, Named, std::less<>>();
  return *all;
}

}  // namespace

bool add_worker(std::string_view name, WorkerEntry entry) noexcept {
  const auto [place, is_new] = named().try_emplace(std::string(name));
  if (is_new) {
    place->second.entry = std::move(entry);
  } else {
    place->second.twice = true;
  }
  return is_new;
}

const WorkerEntry* find_worker(std::string_view name) {
  const auto found = named().find(name);
  if (found == named().end()) return nullptr;
  if (found->second.twice) {
    throw BuildError("SLUICE_WORKER gives the name '" + escape_control_chars(name) +
                     "' twice: give one of the two readers another name");
  }
  return &found->second.entry;
}

std::string no_such_worker(std::string_view name) {
  std::string all;
  for (const auto& [other, entry] : named()) {
    if (!all.empty()) all += ", ";
    all += "'" + escape_control_chars(other) + "'";
  }
  return "the program has no SLUICE_WORKER(\"" + escape_control_chars(name) +
         "\", ...); it has: " + (all.empty() ? "none" : all) +
         ". One that lies in a static library is there if something else of its file is used";
}

}  // namespace sluice::detail

namespace sluice {
namespace detail {
namespace {

// The other process is gone, or closed the socket to end this one.
struct Closed {};

constexpr const char* kNoException = "threw something that is not a std::exception";

class Server {
 public:
  explicit Server(Channel channel) : channel_(std::move(channel)) {}

  // Returns when the other process closes the socket; throws ProtocolError for an invalid message.
  void run() {
    try {
      if (!set_up()) return;
      while (true) serve(next());
    } catch (const Closed&) {
    }
  }

 private:
  // The arguments of a function call.
  struct Call {
    std::vector<std::byte> values;
    std::uint32_t count;
    Descriptor memory;
    bool lost_memory;
  };
  struct Request {
    std::uint64_t number;
    std::shared_ptr<const std::vector<SampleInfo>> group;
    std::size_t place;
    std::optional<Call> call;
  };

  void send(const MessageWriter& message) {
    if (!send_patiently(channel_, message.message())) throw Closed();
  }
  void send(MessageKind kind, std::uint64_t number, std::string_view text = {},
            std::uint32_t count = 0) {
    MessageWriter message({kind, count, number});
    message.add_text(shortened(text));
    send(message);
  }

  // Returns false if set-up failed; the other process was told why.
  bool set_up() {
    send(MessageKind::hello, kWorkerProtocol);
    const auto received = channel_.receive(Blocking::yes);
    if (received.result != Channel::Result::done) throw Closed();
    MessageReader message = message_of(received);
    const auto header = message.take<Header>();
    if (header.kind != MessageKind::setup || header.number != kWorkerProtocol) {
      send(MessageKind::failed, kWorkerProtocol,
           "it was built with another version of Sluice than the program that started it", 1);
      return false;
    }
    const auto fields = message.take<SetupFields>();
    const std::string text = message.text();
    if (fields.name_bytes > text.size()) throw ProtocolError("a name that ends behind its message");
    const std::string name = text.substr(0, fields.name_bytes);
    try {
      const WorkerEntry* const entry = find_worker(name);
      if (entry == nullptr) {
        send(MessageKind::failed, kWorkerProtocol, no_such_worker(name), 1);
        return false;
      }
      read_ = entry->make({text.substr(fields.name_bytes), fields.worker, fields.workers});
      memory_ = std::make_shared<SharedMemory>(channel_, fields.max_bytes);
      pool_.emplace(memory_);
      writer_.emplace(*memory_);
      send(MessageKind::ready, kWorkerProtocol, entry->types);
      return true;
    } catch (const BuildError& error) {  // a retry would fail too
      send(MessageKind::failed, kWorkerProtocol, error.what(), 1);
    } catch (const std::exception& error) {
      send(MessageKind::failed, kWorkerProtocol, error.what());
    } catch (const Closed&) {
      throw;
    } catch (...) {
      send(MessageKind::failed, kWorkerProtocol, kNoException);
    }
    return false;
  }

  static MessageReader message_of(const Channel::Received& received) {
    if (received.too_long) throw ProtocolError("a message that is too long");
    return MessageReader(received.message);
  }

  void take(Channel::Received& received) {
    MessageReader message = message_of(received);
    const auto header = message.take<Header>();
    if (header.kind == MessageKind::fetch) {
      auto group = std::make_shared<std::vector<SampleInfo>>();
      for (std::uint32_t i = 0; i < header.count; ++i) group->push_back(message.take<SampleInfo>());
      for (std::uint32_t i = 0; i < header.count; ++i)
        requests_.push_back({header.number + i, group, i, std::nullopt});
    } else if (header.kind == MessageKind::call) {
      auto alone = std::make_shared<std::vector<SampleInfo>>(1, message.take<SampleInfo>());
      requests_.push_back({header.number, std::move(alone), 0,
                           Call{{message.rest().begin(), message.rest().end()},
                                header.count,
                                std::move(received.descriptor),
                                received.lost_descriptor}});
    } else if (header.kind == MessageKind::give_back) {
      for (std::uint32_t i = 0; i < header.count; ++i)
        writer_->give_back(message.take<std::uint64_t>());
    } else if (header.kind == MessageKind::cancel) {
      send(
          MessageWriter({MessageKind::cancelled, static_cast<std::uint32_t>(requests_.size()), 0}));
      requests_.clear();
    } else {
      throw ProtocolError("a message of kind " +
                          std::to_string(static_cast<unsigned>(header.kind)));
    }
  }

  // Handles all messages that have come. Waits for more if there is no request.
  Request next() {
    while (true) {
      auto received = channel_.receive(requests_.empty() ? Blocking::yes : Blocking::no);
      if (received.result == Channel::Result::closed) throw Closed();
      if (received.result == Channel::Result::done) {
        take(received);
      } else if (!requests_.empty()) {
        Request request = std::move(requests_.front());
        requests_.pop_front();
        return request;
      }
    }
  }

  static ReplyReader inputs_of(const Call& call) {
    Segments segments;
    if (call.lost_memory) {
      throw Error("the values of the sample cannot be had: this process has no descriptor left");
    }
    if (call.memory) {
      segments.emplace(
          RequestInputs::kSegment,
          std::make_shared<Segment>(Segment::of(
              call.memory, std::numeric_limits<std::size_t>::max(), Segment::Pages::copied)));
    }
    return {MessageReader(call.values), call.count, segments, nullptr};
  }

  // Memory that the reader allocates here is shared memory.
  void serve(const Request& request) {
    try {
      const BufferPoolScope scope(*pool_);
      WorkerTask task{request.group->at(request.place), *request.group, request.place, nullptr};
      std::optional<ReplyReader> inputs;
      if (request.call) task.inputs = &inputs.emplace(inputs_of(*request.call));
      read_(task, *writer_);
      send(writer_->finish(request.number));
      return;
    } catch (const EndOfEpoch&) {
      send(MessageKind::end, request.number);
    } catch (const std::exception& error) {
      const char* const what = error.what();
      send(MessageKind::error, request.number, what == nullptr ? "" : what);
    } catch (const Closed&) {
      throw;
    } catch (...) {
      send(MessageKind::error, request.number, kNoException);
    }
    writer_->abandon();
  }

  Channel channel_;
  std::shared_ptr<SharedMemory> memory_;
  std::optional<BufferPool> pool_;
  std::optional<ReplyWriter> writer_;  // gives its values back to the pool
  AnyWorkerReader read_;
  std::deque<Request> requests_;
};

bool asked(int argc, char** argv) {
  return argc > 1 && std::strncmp(argv[1], kWorkerArgument, sizeof(kWorkerArgument) - 1) == 0 &&
         std::getenv(kWorkerVariable) != nullptr;
}

}  // namespace

bool worker_main(int argc, char** argv) {
  if (!asked(argc, argv)) return false;
  // Programs that the reader starts are not workers.
  (void)::unsetenv(kWorkerVariable);
  // The system kills this process when the one that started it ends, for any reason. If that has
  // already happened, the other end of the socket is closed.
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  pollfd other{kWorkerSocket, POLLRDHUP, 0};
  if (::poll(&other, 1, 0) != 0) std::_Exit(0);
  (void)::fcntl(kWorkerSocket, F_SETFD, FD_CLOEXEC);
  // Ctrl-C is for the main program, which then closes the socket.
  (void)::signal(SIGINT, SIG_IGN);
  try {
    Server(Channel(Descriptor(kWorkerSocket))).run();
  } catch (const ProtocolError& error) {
    throw Error(std::string("the program that started this worker sent an invalid message: ") +
                error.what());
  }
  return true;
}

}  // namespace detail

void run_worker_if_asked(int argc, char** argv) {
  try {
    if (!detail::worker_main(argc, argv)) return;
  } catch (const std::exception& error) {
    detail::log_message({"a worker ends: ", error.what()});
    std::exit(1);
  }
  std::exit(0);
}

}  // namespace sluice
