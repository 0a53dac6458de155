#include <sluice/io/workers/registry.h>
#include <sluice/io/workers/worker_process.h>
#include <sluice/runtime/printable.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
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
  return end == std::string::npos ? "" : printable(said_.substr(0, end + 1));
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

}  // namespace sluice::detail
