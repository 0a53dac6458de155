#include <sluice/io/workers/registry.h>
#include <sluice/io/workers/wire.h>
#include <sluice/io/workers/worker.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace sluice::detail {
namespace {

constexpr std::size_t kMostWords = 4096;

void require(int error, const char* call) {
  if (error != 0) throw std::system_error(error, std::generic_category(), call);
}

// The descriptors of the new process.
class FileActions {
 public:
  FileActions(int socket, int words) {
    require(::posix_spawn_file_actions_init(&actions_), "posix_spawn_file_actions_init");
    int error = ::posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    for (const int output : {1, 2}) {
      if (error == 0) error = ::posix_spawn_file_actions_adddup2(&actions_, words, output);
    }
    if (error == 0) error = ::posix_spawn_file_actions_adddup2(&actions_, socket, kWorkerSocket);
    if (error == 0)
      error = ::posix_spawn_file_actions_addclosefrom_np(&actions_, kWorkerSocket + 1);
    if (error != 0) ::posix_spawn_file_actions_destroy(&actions_);
    require(error, "posix_spawn_file_actions");
  }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

// Resets the signal handling and mask to those of a new program.
class Attributes {
 public:
  Attributes() {
    require(::posix_spawnattr_init(&attributes_), "posix_spawnattr_init");
    sigset_t all;
    sigset_t none;
    ::sigfillset(&all);
    ::sigemptyset(&none);
    (void)::posix_spawnattr_setsigdefault(&attributes_, &all);
    (void)::posix_spawnattr_setsigmask(&attributes_, &none);
    (void)::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

// Moves a descriptor out of the range that the new process uses for its own.
Descriptor out_of_the_way(Descriptor descriptor) {
  if (descriptor.number() > kWorkerSocket) return descriptor;
  Descriptor moved(::fcntl(descriptor.number(), F_DUPFD_CLOEXEC, kWorkerSocket + 1));
  if (!moved) require(errno, "fcntl");
  return moved;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

std::string describe(const siginfo_t& info) {
  if (info.si_code == CLD_EXITED) return "ended with status " + std::to_string(info.si_status);
  const char* const name = ::sigdescr_np(info.si_status);
  return "was killed by signal " + std::to_string(info.si_status) + " (" +
         (name == nullptr ? "?" : name) + ")";
}

}  // namespace

WorkerProgram WorkerProgram::of(const std::string& path, const std::vector<std::string>& leading,
                                const std::string& worker_name) {
  WorkerProgram program;
  program.path = path.empty() ? "/proc/self/exe" : path;
  std::array<char, 4096> name{};
  const ssize_t size = ::readlink(program.path.c_str(), name.data(), name.size());
  program.arguments = {path.empty() && size > 0 ? std::string(name.data(), std::size_t(size))
                                                : program.path};
  program.arguments.insert(program.arguments.end(), leading.begin(), leading.end());
  program.arguments.push_back(kWorkerArgument + worker_name);
  for (char** entry = environ; *entry != nullptr; ++entry) program.environment.emplace_back(*entry);
  program.environment.push_back(std::string(kWorkerVariable) + "=1");
  return program;
}

WorkerProcess::WorkerProcess(const WorkerProgram& program) {
  auto [mine, its] = Channel::pair();
  std::array<int, 2> words{};
  if (::pipe2(words.data(), O_CLOEXEC) != 0) require(errno, "pipe2");
  words_ = Descriptor(words[0]);
  Descriptor its_words(words[1]);
  (void)::fcntl(words_.number(), F_SETFL, O_NONBLOCK);
  its = out_of_the_way(std::move(its));
  its_words = out_of_the_way(std::move(its_words));
  const FileActions actions(its.number(), its_words.number());
  const Attributes attributes;
  require(::posix_spawn(&pid_, program.path.c_str(), actions.get(), attributes.get(),
                        pointers(program.arguments).data(), pointers(program.environment).data()),
          "posix_spawn");
  channel_ = Channel(std::move(mine));
  pidfd_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  if (!pidfd_) {
    const int error = errno;
    kill();
    (void)::waitpid(pid_, nullptr, 0);
    require(error, "pidfd_open");
  }
}

WorkerProcess::~WorkerProcess() {
  constexpr int kPatience = 5000;  // a process that the system cannot end is left
  kill();
  (void)has_ended(kPatience);
}

bool WorkerProcess::listen() noexcept {
  // Limits the reads, so that a process that writes without end does not block the thread.
  constexpr int kMostParts = 16;
  std::array<char, kMostWords> part{};
  for (int parts = 0; parts < kMostParts; ++parts) {
    const ssize_t size = ::read(words_.number(), part.data(), part.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return size < 0 && errno == EAGAIN;
    (void)!::write(STDERR_FILENO, part.data(), static_cast<std::size_t>(size));
    try {
      said_.append(part.data(), static_cast<std::size_t>(size));
      if (said_.size() > kMostWords) said_.erase(0, said_.size() - kMostWords);
    } catch (const std::bad_alloc&) {  // it is on standard error anyway
    }
  }
  return true;
}

std::string WorkerProcess::last_words() const {
  const std::size_t end = said_.find_last_not_of(" \n");
  return end == std::string::npos ? "" : escape_control_chars(said_.substr(0, end + 1));
}

void WorkerProcess::kill() noexcept {
  if (!ended_) (void)::kill(pid_, SIGKILL);
}

std::optional<std::string> WorkerProcess::ended(int milliseconds) {
  if (!has_ended(milliseconds)) return std::nullopt;
  return ending_.si_pid != 0 ? describe(ending_) : "ended";
}

bool WorkerProcess::has_ended(int milliseconds) noexcept {
  if (ended_) return true;
  pollfd wait{pidfd_.number(), POLLIN, 0};
  while (::poll(&wait, 1, milliseconds) < 0 && errno == EINTR) {
  }
  if ((wait.revents & POLLIN) == 0) return false;
  // If the program ignores SIGCHLD, or waits for all children itself, the status is lost.
  if (::waitid(P_PIDFD, static_cast<id_t>(pidfd_.number()), &ending_, WEXITED) != 0) ending_ = {};
  by_itself_ = ending_.si_pid != 0 && ending_.si_code == CLD_EXITED;
  ended_ = true;
  return true;
}

namespace {

constexpr std::size_t kIdsOfMessage = 1024;
constexpr int kMessagesOfTurn = 256;
constexpr int kToDie = 1000;  // milliseconds, after a kill
// The first samples of a worker may be slower, so they do not count for the average.
constexpr std::int64_t kNew = 16;

}  // namespace

void finish_sample(const ReplyReader& reply) { reply.finish(); }

Worker::Worker(int number, const WorkerSetup& setup, std::shared_ptr<EventFd> event_fd,
               std::atomic<std::int64_t>& samples)
    : number_(number), setup_(setup), event_fd_(std::move(event_fd)), samples_(samples) {}

std::string Worker::title() const {
  std::string title =
      "worker " + std::to_string(number_) + " of '" + escape_control_chars(setup_.name) + "'";
  if (process_ != nullptr) title += " (pid " + std::to_string(process_->pid()) + ")";
  return title;
}

void Worker::start() {
  process_ = std::make_unique<WorkerProcess>(setup_.program);
  released_ = std::make_shared<ReleasedValues>(event_fd_);
  segments_.clear();
  said_hello_ = ready_ = retiring_ = false;
  handed_ = 0;
  since_ = Clock::now();
  MessageWriter message({MessageKind::setup, 0, kWorkerProtocol});
  message.add(
      SetupFields{number_, setup_.options.workers, setup_.options.max_bytes, setup_.name.size()});
  message.add_text(setup_.name);
  message.add_text(setup_.options.argument);
  (void)process_->channel().send(message.message(), Blocking::no);
}

bool Worker::wants_work() const {
  return ready_ && !retiring_ && groups_ < setup_.options.prefetch;
}

bool Worker::hand(WorkList& group) {
  flush(1);
  RequestInputs* const inputs = group.front().inputs.get();
  if (inputs != nullptr) {
    try {
      inputs->seal();
    } catch (const std::exception& error) {
      group.front().request->fail(error.what());
      return true;
    }
  }
  MessageWriter message(
      inputs == nullptr
          ? Header{MessageKind::fetch, static_cast<std::uint32_t>(group.size()), next_number_}
          : Header{MessageKind::call, inputs->count(), next_number_});
  for (const Work& work : group) message.add(work.info);
  if (inputs != nullptr) inputs->write(message);
  const int descriptor = inputs == nullptr ? -1 : inputs->descriptor();
  if (process_->channel().send(message.message(), Blocking::no, descriptor) !=
      Channel::Result::done)
    return false;
  if (in_hand_.empty()) since_ = Clock::now();
  for (Work& work : group) {
    work.number = next_number_++;
    work.last_of_group = &work == &group.back();
  }
  ++groups_;
  handed_ += static_cast<std::int64_t>(group.size());
  in_hand_.splice(in_hand_.end(), group);
  if (setup_.options.renew_after > 0 && handed_ >= setup_.options.renew_after) retiring_ = true;
  return true;
}

void Worker::flush(std::size_t at_least) {
  if (!ready_) return;
  const auto ids = released_->take(at_least, kIdsOfMessage);
  if (ids.empty()) return;
  MessageWriter message({MessageKind::give_back, static_cast<std::uint32_t>(ids.size()), 0});
  for (const std::uint64_t id : ids) message.add(id);
  if (process_->channel().send(message.message(), Blocking::no) == Channel::Result::later)
    released_->put_back(ids);
}

Worker::Heard Worker::receive() {
  for (int i = 0; i < kMessagesOfTurn; ++i) {
    auto received = process_->channel().receive(Blocking::no);
    if (received.result == Channel::Result::later) return Heard::all;
    if (received.result == Channel::Result::closed) return Heard::closed;
    handle(received);
  }
  return Heard::more;
}

void Worker::handle(Channel::Received& received) {
  if (received.too_long) throw ProtocolError("a message that is too long");
  MessageReader message(received.message);
  const auto header = message.take<Header>();
  if (!ready_) return handle_ready(header, message);
  switch (header.kind) {
    case MessageKind::segment:
      return add_segment(header, received);
    case MessageKind::gone:
      if (segments_.erase(header.number) == 0)
        throw ProtocolError("the end of what it never shared");
      return;
    case MessageKind::sample:
    case MessageKind::error:
    case MessageKind::end:
      return answer(header, message);
    case MessageKind::cancelled:
      return leave_out(header);
    default:
      throw ProtocolError("a message of kind " +
                          std::to_string(static_cast<unsigned>(header.kind)));
  }
}

void Worker::handle_ready(const Header& header, const MessageReader& message) {
  if (header.kind == MessageKind::hello && !said_hello_) {
    said_hello_ = true;
    return;
  }
  if (header.kind == MessageKind::failed) {
    const bool lasting = header.count != 0;
    throw WorkerFailure("cannot be set up: " + message.text(), lasting);
  }
  if (header.kind != MessageKind::ready || header.number != kWorkerProtocol)
    throw ProtocolError("a message before it was ready");
  if (message.text() != setup_.types) {
    throw WorkerFailure("returns samples of (" + escape_control_chars(message.text()) +
                            "), but workers<...> expects (" + setup_.types +
                            "): make both the same",
                        true);
  }
  ready_ = true;
}

void Worker::add_segment(const Header& header, Channel::Received& received) {
  if (segments_.size() > 2 * kMostSegments || segments_.contains(header.number) ||
      header.number == 0) {
    throw ProtocolError("shared memory of number " + std::to_string(header.number));
  }
  std::shared_ptr<Segment> segment;
  if (received.descriptor) {
    try {
      // A pool's blocks may be up to a quarter larger than the request.
      segment =
          std::make_shared<Segment>(Segment::of(received.descriptor, setup_.options.max_bytes * 2));
    } catch (const std::system_error&) {  // this process has no room for it
    }
  } else if (!received.lost_descriptor) {
    throw ProtocolError("shared memory without a descriptor");
  }
  segments_.emplace(header.number, std::move(segment));
}

void Worker::answer(const Header& header, const MessageReader& message) {
  if (in_hand_.empty() || in_hand_.front().number != header.number)
    throw ProtocolError("an unexpected answer");
  ++samples_;
  if (header.kind == MessageKind::sample && ++answered_ > kNew) {
    const std::chrono::duration<double> took = Clock::now() - since_;
    usual_time_ += (took - usual_time_) / 8;
  }
  give(in_hand_.front(), header, message);
  pop();
}

std::size_t Worker::group_size() const {
  constexpr std::chrono::duration<double> kWork{1e-3};
  const auto most = static_cast<std::size_t>(setup_.options.mini_batch);
  if (usual_time_ * most <= kWork) return most;
  return std::max(std::size_t{1}, static_cast<std::size_t>(kWork / usual_time_));
}

void Worker::give(Work& work, const Header& header, const MessageReader& message) {
  if (header.kind == MessageKind::end) {
    if (work.request != nullptr) work.request->end();
    return;
  }
  if (header.kind == MessageKind::error) {
    if (work.request != nullptr) work.request->fail(message.text());
    return;
  }
  ReplyReader reply(message, header.count, segments_, released_);
  usual_bytes_ = std::max(usual_bytes_ - usual_bytes_ / 8, reply.shared_bytes());
  if (work.request == nullptr) return;
  try {
    work.request->give(reply);
  } catch (const ProtocolError&) {
    throw;
  } catch (const std::exception& error) {
    work.request->fail(error.what());
  }
}

void Worker::leave_out(const Header& header) {
  for (std::uint32_t i = 0; i < header.count; ++i) {
    if (in_hand_.empty() || in_hand_.front().request != nullptr)
      throw ProtocolError("that it left out what is wanted");
    pop();
  }
}

void Worker::pop() {
  if (in_hand_.front().last_of_group) --groups_;
  in_hand_.pop_front();
  since_ = Clock::now();
}

Worker::Clock::time_point Worker::deadline() const {
  if (!runs() || (ready_ && in_hand_.empty() && !retiring_)) return Clock::time_point::max();
  constexpr double kPatience = 10;  // seconds, for a worker that was told to end
  const double seconds = runs() && closed() ? std::min(setup_.options.deadline_s, kPatience)
                                            : setup_.options.deadline_s;
  return since_ +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

void Worker::cancel(const std::string& what) noexcept {
  if (in_hand_.empty()) return;
  for (Work& work : in_hand_) {
    if (work.request != nullptr) work.request->fail(what);
    work.request.reset();
  }
  const Header message{MessageKind::cancel, 0, 0};
  (void)process_->channel().send(std::as_bytes(std::span(&message, 1)), Blocking::no);
}

void Worker::drop(const std::string& what) noexcept {
  for (Work& work : in_hand_) {
    if (work.request != nullptr) work.request->fail(what);
  }
  in_hand_.clear();
  groups_ = 0;
  ready_ = retiring_ = false;
  segments_.clear();
  if (process_ == nullptr) return;
  process_->kill();
  (void)process_->has_ended(kToDie);
  (void)process_->listen();
  process_.reset();
}

void Worker::close() noexcept {
  if (process_ != nullptr) process_->channel().end();
}

Worker::Ending Worker::end(const std::string& why) {
  // Milliseconds, after its socket was closed. The system takes long to end a large process.
  constexpr int kToEnd = 2000;
  Ending ending;
  ending.was_ready = ready_;
  ending.said_hello = said_hello_;
  std::optional<std::string> how;
  if (why.empty()) how = process_->ended(kToEnd);
  ending.by_itself = how && process_->ended_by_itself();
  if (!how) process_->kill();
  const bool gone = process_->ended(kToDie).has_value();
  (void)process_->listen();
  ending.what = title() + " " + (why.empty() ? how.value_or("closed its socket") : why);
  if (!process_->last_words().empty())
    ending.what += "; its last output: " + process_->last_words();
  ending.in_hand.splice(ending.in_hand.end(), in_hand_);
  groups_ = 0;
  ready_ = retiring_ = false;
  segments_.clear();
  if (!gone) ending.process = std::move(process_);
  process_.reset();
  return ending;
}

}  // namespace sluice::detail
