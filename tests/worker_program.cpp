// The program that tests start as workers, or as a program that has workers and is killed. The
// arguments select what its readers do.
#include <sluice/graph/sampling/sampler.h>
#include <sluice/io/workers/message.h>
#include <sluice/io/workers/pool.h>
#include <sluice/io/workers/workers.h>
#include <sluice/runtime/error.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <tests/worker_samples.h>
#include <unistd.h>

namespace sluice::testing {
namespace {

constexpr int kSocket = 3;

// "segv@5": the reader's action at sample 5. "segv@5?/tmp/file": if it is the first to do so.
struct Deed {
  std::string what;
  std::int64_t index = -1;
  std::string once;
  explicit Deed(const std::string& text) {
    const std::size_t at = text.find('@');
    what = text.substr(0, at);
    if (at == std::string::npos) return;
    const std::size_t question = text.find('?', at);
    index = std::stoll(text.substr(at + 1));
    if (question != std::string::npos) once = text.substr(question + 1);
  }
  bool is_due(std::int64_t now) const {
    if (now != index) return false;
    return once.empty() || ::open(once.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600) >= 0;
  }
};

void write_raw(const void* from, std::size_t bytes) {
  (void)!::send(kSocket, from, bytes, MSG_NOSIGNAL);
}

// Writes invalid messages. Each is named after its mistake.
void write_nonsense(const std::string& what) {
  using detail::Header;
  using detail::MessageKind;
  std::vector<char> bytes(200, 'x');
  if (what == "letters") {
    write_raw(bytes.data(), bytes.size());
  } else if (what == "short") {
    write_raw(bytes.data(), 3);
  } else if (what == "long") {
    bytes.assign(100'000, 0);
    write_raw(bytes.data(), bytes.size());
  } else if (what == "unasked") {
    const Header header{MessageKind::end, 0, 999'999};
    write_raw(&header, sizeof(header));
  } else if (what == "ready") {
    const Header header{MessageKind::ready, 0, detail::kWorkerProtocol};
    write_raw(&header, sizeof(header));
  } else if (what == "no descriptor") {
    const Header header{MessageKind::segment, 0, 77};
    write_raw(&header, sizeof(header));
  } else if (what == "gone") {
    const Header header{MessageKind::gone, 0, 78};
    write_raw(&header, sizeof(header));
  } else if (what == "cancelled") {
    const Header header{MessageKind::cancelled, 1, 0};
    write_raw(&header, sizeof(header));
  } else {
    const Header header{MessageKind::sample, 60'000, 1};
    write_raw(&header, sizeof(header));
  }
}

void act(const std::string& what) {
  if (what == "segv") {
    ::signal(SIGSEGV, SIG_DFL);
    ::raise(SIGSEGV);
  } else if (what == "kill") {
    ::raise(SIGKILL);
  } else if (what == "say and abort") {
    (void)std::fprintf(stderr, "the database is on fire\n");
    ::signal(SIGABRT, SIG_DFL);
    std::abort();
  } else if (what == "exit") {
    ::_exit(3);
  } else if (what == "hang") {
    while (true) ::pause();
  } else if (what == "stop") {
    ::raise(SIGSTOP);  // the whole process, as a debugger or a batch system does
  } else if (what == "throw 42") {
    throw 42;
  } else if (what == "throw") {
    throw std::runtime_error("no such image");
  } else if (what == "end") {
    throw EndOfEpoch();
  } else if (what == "close") {
    ::close(kSocket);
    while (true) ::pause();
  } else if (what.starts_with("nonsense ")) {
    write_nonsense(what.substr(9));
    ::pause();
  }
}

auto make_wild(const WorkerArguments& arguments) {
  return [deed = Deed(arguments.argument)](const SampleInfo& info) {
    if (deed.is_due(info.index)) act(deed.what);
    return info.index;
  };
}
SLUICE_WORKER("wild", make_wild);

auto make_uneven(const WorkerArguments&) {
  return [](const SampleInfo& info) { return uneven(info.index); };
}
SLUICE_WORKER("uneven", make_uneven);

// Writes, for each sample, as many bytes as the argument says to stdout and stderr, in one long
// line.
auto make_noisy(const WorkerArguments& arguments) {
  return [line = std::string(static_cast<std::size_t>(std::stoll(arguments.argument)), '#')](
             const SampleInfo& info) {
    for (const int place : {STDOUT_FILENO, STDERR_FILENO}) {
      for (std::size_t done = 0; done < line.size();) {
        const ssize_t some = ::write(place, line.data() + done, line.size() - done);
        if (some < 0) break;
        done += static_cast<std::size_t>(some);
      }
    }
    return info.index;
  };
}
SLUICE_WORKER("noisy", make_noisy);

auto make_mixed(const WorkerArguments&) {
  return [](const SampleInfo& info) { return mixed_sample(info); };
}
SLUICE_WORKER("mixed", make_mixed);

auto make_typed(const WorkerArguments&) {
  return [](const SampleInfo& info) { return typed_sample(info); };
}
SLUICE_WORKER("typed", make_typed);

// Returns the sample's position. At the index in the argument, the epoch ends.
auto make_places(const WorkerArguments& arguments) {
  return [end = std::stoll(arguments.argument)](const SampleInfo& info) {
    if (info.index >= end) throw EndOfEpoch();
    return std::tuple{info.index_in_epoch, info.index_in_batch, info.batch, info.epoch};
  };
}
SLUICE_WORKER("places", make_places);

// A pixel in the layout that the argument says.
auto make_layouts(const WorkerArguments& arguments) {
  return [layout = static_cast<Layout>(std::stoi(arguments.argument))](const SampleInfo& info) {
    Tensor pixel(Shape{1, 1, 1}, DType::u8, layout);
    *pixel.data<std::uint8_t>() = static_cast<std::uint8_t>(info.index);
    return pixel;
  };
}
SLUICE_WORKER("layouts", make_layouts);

// A shuffle of the source's own, of as many samples as the argument says.
auto make_shuffled(const WorkerArguments& arguments) {
  return [count = std::stoll(arguments.argument)](const SampleInfo& info) -> std::int64_t {
    if (info.index >= count) throw EndOfEpoch();
    return Permutation(count, {42, static_cast<std::uint64_t>(info.epoch)})(info.index);
  };
}
SLUICE_WORKER("shuffled", make_shuffled);

// Returns which process it is, and how many samples it has produced before.
auto make_who(const WorkerArguments& arguments) {
  return [count = std::int64_t{0}, arguments](const SampleInfo&) mutable {
    return std::tuple{std::int64_t{::getpid()}, count++, arguments.argument,
                      std::int32_t{arguments.worker}, std::int32_t{arguments.workers}};
  };
}
SLUICE_WORKER("who", make_who);

// Returns as many bytes as the argument says, which begin with the index. They are made in shared
// memory, or copied there: "1000 view".
auto make_block(const WorkerArguments& arguments) {
  const auto bytes = static_cast<std::size_t>(std::stoll(arguments.argument));
  const bool view = arguments.argument.ends_with("view");
  return
      [bytes, kept = std::vector<std::uint8_t>(view ? bytes : 0)](const SampleInfo& info) mutable {
        if (!kept.empty()) {
          std::memcpy(kept.data(), &info.index, sizeof(info.index));
          return Bytes::view_of(kept);
        }
        Bytes block(bytes);
        std::memcpy(block.data(), &info.index, sizeof(info.index));
        return block;
      };
}
SLUICE_WORKER("block", make_block);

void wait_for_lock(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 || ::flock(file, LOCK_SH) != 0) throw std::runtime_error("no lock: " + path);
  ::close(file);
}

// Returns the number of samples that were requested together. Each takes so many microseconds, or
// only the first one: "3000 each", "3000 first". "3000 first FILE" waits until the lock of that
// file is free.
bool add_groups() {
  return detail::add_worker(
      "groups", {"i64", [](const WorkerArguments& arguments) -> detail::AnyWorkerReader {
                   std::istringstream words(arguments.argument);
                   useconds_t time = 0;
                   std::string which;
                   std::string lock;
                   words >> time >> which >> lock;
                   const bool each = which == "each";
                   if (!lock.empty()) wait_for_lock(lock);
                   return [each, time](const detail::WorkerTask& task, detail::ReplyWriter& to) {
                     if (each || task.place == 0) ::usleep(time);
                     detail::wire_type<std::int64_t>::write(
                         to, static_cast<std::int64_t>(task.group.size()));
                   };
                 }});
}
[[maybe_unused]] const bool added_groups = add_groups();

auto make_nothing(const WorkerArguments&) -> std::int64_t (*)(const SampleInfo&) {
  throw std::runtime_error("the database is closed");
}
SLUICE_WORKER("nothing", make_nothing);

auto make_mistaken(const WorkerArguments&) -> std::int64_t (*)(const SampleInfo&) {
  throw BuildError("no such table");
}
SLUICE_WORKER("mistaken", make_mistaken);

// Ends the worker before it is ready: "exit" or "say and exit".
auto make_set_up(const WorkerArguments& arguments) -> std::int64_t (*)(const SampleInfo&) {
  if (arguments.argument.starts_with("say"))
    (void)std::fprintf(stderr, "no licence for the camera\n");
  std::exit(3);
}
SLUICE_WORKER("set-up", make_set_up);

struct Ignored final : detail::WorkerRequest {
  void give(detail::ReplyReader& reply) override { (void)detail::read_sample<Mixed>(reply); }
  void fail(const std::string&) noexcept override {}
  void end() noexcept override {}
};

// Asks for samples until it is killed, and says when the first workers are started.
int have_workers() {
  detail::WorkerPool pool("mixed", detail::wire_type<Mixed>::names(), 1000, {.workers = 3});
  pool.begin_epoch();
  (void)!::write(STDOUT_FILENO, "s", 1);
  for (std::int64_t i = 0;; ++i) {
    if (i < 100'000) pool.fetch({.index = i}, std::make_unique<Ignored>());
    if (i % 16 == 0) ::usleep(1000);
  }
}

}  // namespace
}  // namespace sluice::testing

int main(int argc, char** argv) {
  if (argc > 1 && std::getenv("SLUICE_TEST_FORGETS") != nullptr) return 0;
  sluice::run_worker_if_asked(argc, argv);
  if (argc > 1 && std::string(argv[1]) == "parent") return sluice::testing::have_workers();
  return 2;
}
