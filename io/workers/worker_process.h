// WorkerProcess: a worker's process, as seen by the process that started it. Internal.
//
// posix_spawn starts this program or another one in a new process. It inherits no memory, threads
// or descriptors, except its end of a socket and a pipe for its standard output and standard error.
//
// Ownership: the destructor kills a process that has not ended, and reaps it. Threads: the same
// thread from start to end, since the system ends the process with the thread that started it.
// Errors: the constructor throws std::system_error.
#pragma once

#include <sluice/io/workers/channel.h>
#include <sluice/io/workers/descriptor.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace sluice::detail {

// The program to start.
struct WorkerProgram {
  std::string path;
  std::vector<std::string> arguments;    // the first is the program's name
  std::vector<std::string> environment;  // "NAME=value"
  // This program (empty `path`) or the one at `path`, as a worker. `leading`: its first arguments.
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
  int exit_descriptor() const { return pidfd_.number(); }  // readable once it has ended
  int words_descriptor() const { return words_.number(); }

  // Reads its output. Returns false at the end of it.
  bool listen() noexcept;
  // The end of its output, on one line.
  std::string last_words() const;

  void kill() noexcept;
  // Describes how it ended, such as "was killed by signal 11 (Segmentation fault)". Nothing if it
  // has not ended within this time.
  std::optional<std::string> ended(int milliseconds);
  // The same without the text, which needs memory.
  bool has_ended(int milliseconds) noexcept;
  // Valid after it has ended: true if it exited with a status.
  bool ended_by_itself() const { return by_itself_; }

 private:
  Channel channel_;
  Descriptor words_;
  Descriptor pidfd_;
  pid_t pid_ = -1;
  std::string said_;
  bool ended_ = false;
  siginfo_t ending_{};  // all 0 if unknown
  bool by_itself_ = false;
};

}  // namespace sluice::detail
