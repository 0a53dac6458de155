// Worker: one of a pool's workers, as the pool's thread sees it: its process, what it has in hand,
// the memory that it shares. Internal.
//
// Ownership: owns the process and the requests in hand; segments live as long as they have values
// in use. Threads: the pool's. Errors: Nonsense, and WorkerFailure for a worker that says itself
// that it cannot serve; std::system_error of start().
#pragma once

#include <sluice/io/workers/message.h>
#include <sluice/io/workers/pool.h>
#include <sluice/io/workers/reply_reader.h>
#include <sluice/io/workers/returns.h>
#include <sluice/io/workers/worker_process.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace sluice::detail {

// What all workers of a pool have in common.
struct WorkerSetup {
  std::string name;
  std::string types;  // of a sample, as text
  WorkerOptions options;
  WorkerProgram program;
};

// It cannot be set up.
class WorkerFailure : public std::runtime_error {
 public:
  // `lasting`: another try would end in the same way.
  WorkerFailure(const std::string& what, bool lasting)
      : std::runtime_error(what), lasting_(lasting) {}
  bool lasting() const { return lasting_; }

 private:
  bool lasting_;
};

// A sample that a worker must produce.
struct Work {
  SampleInfo info;
  std::unique_ptr<WorkerRequest> request;      // null: nobody wants it any more
  bool tried = false;                          // by a worker that ended
  bool alone = false;                          // it is not given to a worker with others
  std::shared_ptr<RequestInputs> inputs = {};  // of a function; null for a source's sample
  // Set by the worker that has it in hand.
  std::uint64_t number = 0;
  bool last_of_group = false;
};
// A list, so that work moves from one to another without an allocation.
using WorkList = std::list<Work>;

class Worker {
 public:
  using Clock = std::chrono::steady_clock;

  // Counts in `samples` what it has answered.
  Worker(int number, const WorkerSetup& setup, std::shared_ptr<Wake> wake,
         std::atomic<std::int64_t>& samples);

  void start();
  bool runs() const { return process_ != nullptr; }
  bool ready() const { return ready_; }
  // Whether it has come as far as run_worker_if_asked.
  bool said_hello() const { return said_hello_; }
  // Of all its processes, those that ended before they were ready, by themselves.
  int failed_setups() const { return failed_setups_; }
  void count_failed_setup() { ++failed_setups_; }
  // Null unless it runs.
  WorkerProcess* process() { return process_.get(); }

  bool wants_work() const;
  // Takes the work, of which what has inputs is alone, or none of it if there is no room in its
  // socket.
  bool hand(WorkList& group);
  std::size_t in_hand() const { return in_hand_.size(); }
  int groups() const { return groups_; }
  // Tells it of values that nobody uses any more, if there are as many as this.
  void flush(std::size_t at_least);

  // Handles what it has sent, and answers requests. False when its end of the socket is closed, or
  // it has sent enough for one turn.
  enum class Heard { all, more, closed };
  Heard receive();

  // When it will have taken too long; never for one that has nothing to do.
  Clock::time_point deadline() const;
  void postpone(Clock::duration by) { since_ += by; }

  // Nobody wants what it has in hand: its requests fail with this.
  void cancel(const std::string& what) noexcept;

  // Whether it has made as many samples as it may.
  bool is_due() const { return retiring_ && in_hand_.empty(); }
  // Lets it end, as nothing is wanted of it.
  void close() noexcept;
  bool closed() const { return process_->channel().number() < 0; }

  // Ends it, if it has not ended, and takes what it has in hand. The text says how it ended; `why`
  // it was ended, if that was here.
  struct Ending {
    std::string what;
    bool was_ready = false;
    bool said_hello = false;
    bool by_itself = false;
    WorkList in_hand;
    std::unique_ptr<WorkerProcess> process;  // that has not ended yet, though it was killed
  };
  Ending end(const std::string& why);
  // Kills the process if it runs. The request that it is working on fails.
  void drop(const std::string& what) noexcept;
  // "worker 2 of 'imagenet' (pid 4711)".
  std::string title() const;

  std::size_t usual_bytes() const { return usual_bytes_; }
  // How many samples it is to be handed at once, if it makes one after the other: as many as it
  // may, but not more than a millisecond's work. What one has in hand when the others have nothing
  // left to do is what an epoch waits for.
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
  const std::shared_ptr<Wake> wake_;
  std::atomic<std::int64_t>& samples_;

  std::unique_ptr<WorkerProcess> process_;
  std::shared_ptr<Returns> returns_;
  Segments segments_;
  bool said_hello_ = false;
  bool ready_ = false;
  bool retiring_ = false;
  int failed_setups_ = 0;
  WorkList in_hand_;
  int groups_ = 0;
  std::uint64_t next_number_ = 1;
  std::int64_t handed_ = 0;    // to this process
  Clock::time_point since_;    // it has been at its first request, or at its set-up
  std::int64_t answered_ = 0;  // samples
  std::chrono::duration<double> usual_time_{};  // of one that follows many
  std::size_t usual_bytes_ = 0;
};

}  // namespace sluice::detail
