// WorkerPool: worker processes that produce samples on request, with their options and requests.
#pragma once

#include <sluice/graph/exec/sample.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/io/workers/values.h>
#include <sluice/runtime/function.h>
#include <sluice/runtime/process.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sluice {

// Options of the workers: plain data. See workers.h.

struct WorkerOptions {
  // The number of processes.
  int workers = 4;
  // The program to run; empty: this program. Its main() calls run_worker_if_asked, and it names the
  // reader with SLUICE_WORKER.
  std::string program = {};
  // Arguments of that program, before the one that makes it a worker. Use them for a program that
  // starts another: {.program = "/usr/bin/nice", .program_arguments = {"-n", "10", "/opt/reader"}}.
  std::vector<std::string> program_arguments = {};
  // A text for the function that makes the reader, such as JSON or a path; at most 32 KiB.
  std::string argument = {};
  // The time limit for one sample, and for the setup, in seconds. A worker that takes longer is
  // killed.
  double deadline_s = 60;
  // If true, a sample whose worker ended is tried once more, by another process.
  bool retry = false;
  // The most restarts of ended workers, all workers together.
  int restarts = 10;
  // A worker is replaced after this many samples, in case its code leaks; 0: never. This does not
  // count as a restart.
  std::int64_t renew_after = 0;
  // The most consecutive samples in a group, which is the unit of work sent to a worker. A reader
  // that makes one sample at a time gets smaller groups, of at most a millisecond's work.
  int mini_batch = 16;
  // The number of groups that a worker holds, so that the next one is there when one is done.
  int prefetch = 2;
  // The limit for shared memory of values that are being made or used. Above it, workers make one
  // sample at a time, in the order of requests. No single value may be larger.
  std::size_t max_bytes = std::size_t{1} << 30;
  // The name of a sample in errors. By default "sample 17 of 'imagenet'".
  Function<std::string(std::int64_t index)> sample_name = {};
};

}  // namespace sluice

namespace sluice::detail {

// WorkerRequest: receives the sample that a worker produces, or its error. Internal.
//
// Exactly one of its functions is called, once, on the pool's thread, which is blocked meanwhile.
// If it is destroyed before that, its destructor must report the failure.

class RequestInputs;

class WorkerRequest {
 public:
  virtual ~WorkerRequest() = default;
  // Throws ProtocolError if the reply is not such a sample, before it passes anything on. One of
  // the functions is then called again later.
  virtual void give(ReplyReader& reply) = 0;
  virtual void fail(const std::string& what) noexcept = 0;
  // There is no such sample: the epoch ends here.
  virtual void end() noexcept = 0;
  // True if the reader makes all samples of a group at once. Then the pool cannot tell which sample
  // it was working on when it ended.
  virtual bool made_with_others() const noexcept { return false; }
  // No worker is left, and none will be started. An epoch of unknown length must end in this case.
  virtual void refuse(const std::string& what) noexcept { fail(what); }
};

// Reads a whole sample; throws ProtocolError if values are left.
void finish_sample(const ReplyReader& reply);
template <class Sample>
Sample read_sample(ReplyReader& reply) {
  Sample sample = wire_type<Sample>::read(reply);
  finish_sample(reply);
  return sample;
}

// WorkerPool: worker processes that produce samples on request. Internal; users have workers() of
// workers.h.
//
// Ownership: owns its processes and a thread, which end with it. Threads: all. Errors: the
// constructor throws BuildError for invalid options, and Error if no process can be started. In a
// child of fork() there are no workers: fetch(), begin_epoch() and broken() throw Error there, and
// the processes are left alone.

class WorkerPool {
 public:
  // `types`: the types of a sample, as text. `samples`: their number; warns if there are fewer
  // samples than workers.
  WorkerPool(const std::string& name, const std::string& types, std::int64_t samples,
             const WorkerOptions& options);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();

  // `inputs`: the arguments for workers that call a function. The values they refer to must live
  // until the request is answered.
  void fetch(const SampleInfo& info, std::unique_ptr<WorkerRequest> request,
             std::shared_ptr<RequestInputs> inputs = nullptr);
  // Throws Error if no worker is left.
  void begin_epoch();
  // When the last open epoch ends, requests that are still open fail.
  void end_epoch() noexcept;
  WorkerStats stats() const;
  // Why no worker is left; empty while there are workers.
  std::string broken() const;

 private:
  struct Running;
  void start_thread();

  ForkGuard fork_guard_;
  std::unique_ptr<Running> running_;
};

}  // namespace sluice::detail
