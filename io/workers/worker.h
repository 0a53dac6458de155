// Worker: the pool's view of one worker, with its process, its requests and its shared memory.
// WorkerProcess: the process alone. Internal.
//
// posix_spawn starts this program or another one in a new process. It inherits no memory, threads
// or descriptors, except its end of a socket and a pipe for its standard output and standard error.
//
// Ownership: a Worker owns the process and the requests in hand; segments live as long as their
// values are in use. The destructor of WorkerProcess kills a process that has not ended, and reaps
// it. Threads: the pool's thread, from start to end, since the system ends a process with the
// thread that started it. Errors: ProtocolError; WorkerFailure if the worker reports that it cannot
// serve; start() and the constructor of WorkerProcess throw std::system_error.
#pragma once

#include <sluice/io/workers/channel.h>
#include <sluice/io/workers/message.h>
#include <sluice/io/workers/pool.h>
#include <sluice/io/workers/shared_memory.h>
#include <sluice/io/workers/wire.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/types.h>

namespace sluice::detail {

// WorkerProcess: a worker's process, as seen by the process that started it.

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

// Settings that all workers of a pool share.
struct WorkerSetup {
  std::string name;
  std::string types;  // of a sample, as text
  WorkerOptions options;
  WorkerProgram program;
};

// Thrown if a worker cannot be set up.
class WorkerFailure : public std::runtime_error {
 public:
  // `lasting`: another try would fail in the same way.
  WorkerFailure(const std::string& what, bool lasting)
      : std::runtime_error(what), lasting_(lasting) {}
  bool lasting() const { return lasting_; }

 private:
  bool lasting_;
};

// A sample that a worker must produce.
struct Work {
  SampleInfo info;
  std::unique_ptr<WorkerRequest> request;      // null: no longer wanted
  bool tried = false;                          // once, by a worker that ended
  bool alone = false;                          // it must be the only sample in its group
  std::shared_ptr<RequestInputs> inputs = {};  // for a function; null for a source's sample
  // Set by the worker that takes it.
  std::uint64_t number = 0;
  bool last_of_group = false;
};
// A list, so that moving work to another list allocates nothing.
using WorkList = std::list<Work>;

class Worker {
 public:
  using Clock = std::chrono::steady_clock;

  // Adds the number of its answers to `samples`.
  Worker(int number, const WorkerSetup& setup, std::shared_ptr<EventFd> event_fd,
         std::atomic<std::int64_t>& samples);

  void start();
  bool runs() const { return process_ != nullptr; }
  bool ready() const { return ready_; }
  // True if it has reached run_worker_if_asked.
  bool said_hello() const { return said_hello_; }
  // The number of its processes that ended by themselves before they were ready.
  int failed_setups() const { return failed_setups_; }
  void count_failed_setup() { ++failed_setups_; }
  // Null if it does not run.
  WorkerProcess* process() { return process_.get(); }

  bool wants_work() const;
  // Sends the group to the worker and takes it. Work with inputs must be the only one in its group.
  // Returns false and takes nothing if the socket has no room.
  bool hand(WorkList& group);
  std::size_t in_hand() const { return in_hand_.size(); }
  int groups() const { return groups_; }
  // Tells it which values are no longer used, if there are at least this many.
  void flush(std::size_t at_least);

  // Handles messages from the worker and answers requests. Returns `closed` if its end of the
  // socket is closed, and `more` if there may be more messages than one turn handles.
  enum class Heard { all, more, closed };
  Heard receive();

  // When its current sample or setup exceeds the time limit; never if it has nothing to do.
  Clock::time_point deadline() const;
  void postpone(Clock::duration by) { since_ += by; }

  // Fails all requests in hand with this error; they are no longer wanted.
  void cancel(const std::string& what) noexcept;

  // True if it has reached renew_after and answered all requests.
  bool is_due() const { return retiring_ && in_hand_.empty(); }
  // Closes the socket, so that the worker ends by itself.
  void close() noexcept;
  bool closed() const { return process_->channel().number() < 0; }

  // Ends it, if it has not ended, and takes its requests. `why`: the reason if this side ends it,
  // else empty. The text says how it ended.
  struct Ending {
    std::string what;
    bool was_ready = false;
    bool said_hello = false;
    bool by_itself = false;
    WorkList in_hand;
    std::unique_ptr<WorkerProcess> process;  // a killed process that has not ended yet
  };
  Ending end(const std::string& why);
  // Kills the process if it runs. All requests in hand fail.
  void drop(const std::string& what) noexcept;
  // For example "worker 2 of 'imagenet' (pid 4711)".
  std::string title() const;

  std::size_t usual_bytes() const { return usual_bytes_; }
  // The group size for a worker that makes one sample at a time: mini_batch, but at most a
  // millisecond's work. Small groups matter at the end of an epoch, when the other workers have
  // nothing left to do.
  std::size_t group_size() const;

 private:
  void handle(Channel::Received& received);
  void handle_ready(const Header& header, const MessageReader& message);
  void add_segment(const Header& header, Channel::Received& received);
  void answer(const Header& header, const MessageReader& message);
  void give(Work& work, const Header& header, const MessageReader& message);
  void leave_out(const Header& header);
  void pop();

  const int number_;
  const WorkerSetup& setup_;
  const std::shared_ptr<EventFd> event_fd_;
  std::atomic<std::int64_t>& samples_;

  std::unique_ptr<WorkerProcess> process_;
  std::shared_ptr<ReleasedValues> released_;
  Segments segments_;
  bool said_hello_ = false;
  bool ready_ = false;
  bool retiring_ = false;
  int failed_setups_ = 0;
  WorkList in_hand_;
  int groups_ = 0;
  std::uint64_t next_number_ = 1;
  std::int64_t handed_ = 0;    // to this process, since it started
  Clock::time_point since_;    // when its first request or its setup began
  std::int64_t answered_ = 0;  // the number of samples
  // A moving average for one sample, after the first ones.
  std::chrono::duration<double> usual_time_{};
  std::size_t usual_bytes_ = 0;
};

}  // namespace sluice::detail
