// PoolThread: what the thread of a pool of workers does. It alone deals with the processes: starts
// them, hands out requests, answers them, looks at deadlines, buries what has ended. Internal.
//
// Requests wait in one queue, in the order in which they were made. A worker that has room takes a
// group from its front: what is there is cut into as many groups as workers want one, which differ
// in size by at most 1. When a worker ends, the sample that it was at is lost, or tried once more;
// those that it had not begun go back to the front of the queue.
//
// Ownership: owns the workers and all requests. Threads: run() on one; the other functions from
// any. Errors: start_all() throws std::system_error; later ones are those of samples.
#pragma once

#include <sluice/io/workers/descriptor.h>
#include <sluice/io/workers/pool.h>
#include <sluice/io/workers/returns.h>
#include <sluice/io/workers/worker.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sluice::detail {

inline constexpr char kUnwanted[] = "nobody wants the sample any more: its epoch has ended";
// What one did that ended meanwhile.
inline constexpr char kSettingUp[] = ", while it was set up";
// What a worker most likely lacks that never said hello.
inline constexpr char kHint[] =
    "; a program that uses workers() calls sluice::run_worker_if_asked(argc, argv) first thing in "
    "main()";

class PoolThread {
 public:
  explicit PoolThread(WorkerSetup setup);

  void fetch(Work work);
  // All requests made until now fail, soon.
  void cancel() noexcept;
  // run() returns, soon.
  void stop() noexcept;
  // Why no worker serves any more; empty while some do.
  std::string broken() const;
  WorkerStats stats() const;

  // On the pool's thread.
  void start_all();
  void run() noexcept;  // where memory is short, all requests fail

 private:
  using Clock = Worker::Clock;

  void serve();
  void wait();
  bool take_orders();  // false: it is to stop
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
  // It has ended, or is to: `why`.
  void end(Worker& worker, const std::string& why, bool lasting = false);
  void save_work(Worker::Ending& ending);
  void renew(Worker& worker, const std::string& why);
  void replace(Worker& worker, std::string what);
  void give_up(std::string what) noexcept;
  std::string failed(const char* why) const noexcept;
  static void fail_all(WorkList& all, const std::string& what) noexcept;
  void stop_all() noexcept;
  std::size_t in_hand() const;
  // What is wrong, most likely, with one that did not come as far as set-up. Of a program that
  // starts another one nothing is known.
  const char* hint(bool said_hello) const {
    if (said_hello) return kSettingUp;
    return setup_.options.program_arguments.empty() ? kHint : "";
  }
  bool nobody_was_ready() const { return samples_ == 0 && ready_ == 0; }
  // Whether another try would fail as well: none was ever ready, each has failed, this one again.
  bool all_fail(const Worker& worker) const;

  const WorkerSetup setup_;
  const std::string name_;  // as it is printed
  const std::string unwanted_{kUnwanted};
  const std::shared_ptr<Wake> wake_;
  Descriptor epoll_;
  std::atomic<std::int64_t> samples_{0};
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<WorkerProcess>> dying_;
  WorkList queue_;

  mutable std::mutex mutex_;  // guards what follows
  WorkList ordered_;
  std::size_t cancelled_ = 0;  // how many of `ordered_`, from the front
  bool cancel_ = false;
  bool stop_ = false;
  std::string broken_;  // written by the pool's thread, which reads it without the lock

  std::atomic<std::int64_t> restarts_{0};
  std::atomic<std::int64_t> renewals_{0};
  std::atomic<int> ready_{0};
};

}  // namespace sluice::detail
