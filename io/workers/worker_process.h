// WorkerProcess: a process that serves as a worker, as the one sees it that has started it.
// Internal.
//
// It is the program itself, or another one, run anew with posix_spawn: it has none of this
// process's memory, threads and descriptors, but for its end of a socket, and a pipe for what it
// writes to standard output and standard error.
//
// Ownership: a process that has not ended when this object goes is killed, and its status taken.
// Threads: one, the same from start to end: the system ends the process with the thread that has
// started it. Errors: std::system_error where it cannot be started.
#pragma once

#include <sluice/io/workers/channel.h>
#include <sluice/io/workers/descriptor.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace sluice::detail {

// What is started.
struct WorkerProgram {
  std::string path;
  std::vector<std::string> arguments;    // the program's name is the first
  std::vector<std::string> environment;  // "NAME=value"
  // This program, or the one at `path`, as a worker; `leading` are its first arguments.
  static WorkerProgram of(const std::string& path, const std::vector<std::string>& leading,
                          const std::string& worker_name);
};

class WorkerProcess {
 public:
  explicit WorkerProcess(const WorkerProgram& program);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();

  pid_t pid() const { return pid_; }
  Channel& channel() { return channel_; }
  int exit_descriptor() const { return pidfd_.number(); }  // readable when it has ended
  int words_descriptor() const { return words_.number(); }

  // Reads what it has written. False when there is no more to come.
  bool listen() noexcept;
  // The last of what it has written, on one line.
  std::string last_words() const;

  void kill() noexcept;
  // "was killed by signal 11 (Segmentation fault)"; nothing if it has not ended within the time.
  std::optional<std::string> ended(int milliseconds);
  // The same without the words, which need memory.
  bool has_ended(int milliseconds) noexcept;
  // Once it has ended: whether by itself, with a status.
  bool ended_by_itself() const { return by_itself_; }

 private:
  Channel channel_;
  Descriptor words_;
  Descriptor pidfd_;
  pid_t pid_ = -1;
  std::string said_;
  bool ended_ = false;
  siginfo_t ending_{};  // all 0 where it is not known
  bool by_itself_ = false;
};

}  // namespace sluice::detail
