// PoolThread: the work of a worker pool's thread. It alone handles the processes: it starts them,
// hands out requests, answers them, checks deadlines, and cleans up ended processes. Internal.
//
// Requests wait in a queue, in the order in which they were made. A worker with room takes a group
// from its front. The queue is divided evenly among the workers that want a group: sizes differ by
// at most 1. When a worker ends, the sample that it was working on fails or is retried once.
// Samples that it had not begun go back to the front of the queue.
//
// Ownership: owns the workers and all requests. Threads: run() on one; the other functions from
// any. Errors: start_all() throws std::system_error; later errors are reported through the samples.
#pragma once

#include <sluice/io/workers/channel.h>
#include <sluice/io/workers/pool.h>
#include <sluice/io/workers/shared_memory.h>
#include <sluice/io/workers/worker.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sluice::detail {

// Appended to an error: the worker ended during its setup.
inline constexpr char kSettingUp[] = ", while it was set up";
// The likely cause when a worker never said hello.
inline constexpr char kHint[] =
    "; a program that uses workers() calls sluice::run_worker_if_asked(argc, argv) first thing in "
    "main()";

class PoolThread {
 public:
  explicit PoolThread(WorkerSetup setup);

  void fetch(Work work);
  // All requests made until now fail soon.
  void cancel() noexcept;
  // run() returns soon.
  void stop() noexcept;
  // Why no worker is left; empty while there are workers.
  std::string broken() const;
  WorkerStats stats() const;

  // On the pool's thread.
  void start_all();
  void run() noexcept;  // if memory is short, all requests fail

 private:
  using Clock = Worker::Clock;

  void serve();
  void wait();
  bool take_orders();  // false: stop the thread
  void cancel_all() noexcept;
  void on_event(Worker& worker, unsigned which);
  bool on_messages(Worker& worker);
  void on_exit(Worker& worker);
  void look_at_deadlines();
  void hand_out();
  bool may_hand_out();
  Worker* who_wants(std::size_t& how_many);
  void keep_going();

  void start(Worker& worker);
  std::string try_start(Worker& worker);
  void unwatch(Worker& worker);
  // Ends the worker, or handles its end. `why`: the reason if this side ends it, else empty.
  void end(Worker& worker, const std::string& why, bool lasting = false);
  void save_work(Worker::Ending& ending);
  void renew(Worker& worker, const std::string& why);
  // Takes one of the restarts; false if none is left.
  bool count_restart();
  // If `may_start`, restarts the worker. Repeats until a start succeeds or no restart is left.
  void replace(Worker& worker, std::string what, bool may_start);
  void give_up(std::string what) noexcept;
  std::string failed(const char* why) const noexcept;
  static void fail_all(WorkList& all, const std::string& what) noexcept;
  void stop_all() noexcept;
  std::size_t in_hand() const;
  // The likely cause when a worker ended before it was ready. Empty if `program_arguments` start
  // another program, about which nothing is known.
  const char* hint(bool said_hello) const {
    if (said_hello) return kSettingUp;
    return setup_.options.program_arguments.empty() ? kHint : "";
  }
  bool nobody_was_ready() const { return samples_ == 0 && ready_ == 0; }
  // True if another try would probably fail too: no worker was ever ready, each has failed, and
  // this one repeatedly.
  bool all_fail(const Worker& worker) const;

  const WorkerSetup setup_;
  const std::string name_;  // printable
  const std::string unwanted_{"the sample is no longer needed: its epoch has ended"};
  const std::shared_ptr<EventFd> event_fd_;
  Descriptor epoll_;
  std::atomic<std::int64_t> samples_{0};
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<WorkerProcess>> dying_;
  WorkList queue_;
  bool unsent_ = false;  // hand_out() could not send a group

  mutable std::mutex mutex_;  // guards the members below
  WorkList ordered_;
  std::size_t cancelled_ = 0;  // the number of `ordered_`, from the front, that are cancelled
  bool cancel_ = false;
  bool stop_ = false;
  std::string broken_;  // written by the pool's thread, which reads it without the lock

  std::atomic<std::int64_t> restarts_{0};
  std::atomic<std::int64_t> renewals_{0};
  std::atomic<int> ready_{0};
};

}  // namespace sluice::detail
