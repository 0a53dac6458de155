// WorkerPool: worker processes that make samples on request; with their options and their requests.
#pragma once

#include <sluice/graph/plan/sample.h>
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

// What workers can be told: plain data. See workers.h.

struct WorkerOptions {
  // Processes.
  int workers = 4;
  // The file of the program to run; empty: this program. Its main() calls run_worker_if_asked, and
  // it gives the name with SLUICE_WORKER.
  std::string program = {};
  // What that program is given before the argument that makes it a worker, for one that starts
  // another: {.program = "/usr/bin/nice", .program_arguments = {"-n", "10", "/opt/reader"}}.
  std::vector<std::string> program_arguments = {};
  // For the function that makes the reader: JSON, a path, whatever it understands; at most 32 KiB.
  std::string argument = {};
  // Seconds that a worker may take for one sample, or to set itself up. One that takes longer is
  // killed.
  double deadline_s = 60;
  // Whether a sample whose worker ended is given to another process, once.
  bool retry = false;
  // How often a worker that ended is started anew, all workers together.
  int restarts = 10;
  // After so many samples a worker is replaced by a new one, which costs none of `restarts`: for
  // code that leaks. 0: never.
  std::int64_t renew_after = 0;
  // A worker is given samples in groups, of at most so many that follow each other and, where it
  // makes one after the other, of a millisecond's work, ...
  int mini_batch = 16;
  // ... and so many groups ahead: while it makes one, the next is on its way.
  int prefetch = 2;
  // Shared memory of the values that are under way or in use. When that is exceeded, workers make
  // one sample at a time, the one that is wanted first. No value may be larger.
  std::size_t max_bytes = std::size_t{1} << 30;
  // What errors call a sample; none: "sample 17 of 'imagenet'".
  Function<std::string(std::int64_t index)> sample_name = {};
};

}  // namespace sluice

namespace sluice::detail {

// WorkerRequest: who waits for a sample that a worker makes. Internal.
//
// Exactly one of its functions is called, once, on the pool's thread, which does nothing else
// meanwhile. One that is destroyed before has to tell by itself.

class RequestInputs;

class WorkerRequest {
 public:
  virtual ~WorkerRequest() = default;
  // Throws Nonsense, before it has given anything, if this is no such sample: it will be called
  // again then, with something else.
  virtual void give(ReplyReader& reply) = 0;
  virtual void fail(const std::string& what) noexcept = 0;
  // There is no such sample: the epoch ends here.
  virtual void end() noexcept = 0;
  // Whether the reader makes all samples of a group at once, so that it is not known at which of
  // them it was when it ended.
  virtual bool made_with_others() const noexcept { return false; }
  // No worker is left, and none will be. Where nobody knows how many samples there are, the epoch
  // has to end some time.
  virtual void refuse(const std::string& what) noexcept { fail(what); }
};

// Reads a whole sample.
void finish_sample(const ReplyReader& reply);
template <class Sample>
Sample read_sample(ReplyReader& reply) {
  Sample sample = travelling<Sample>::read(reply);
  finish_sample(reply);
  return sample;
}

// WorkerPool: worker processes that make samples on request. Internal; users have workers() of
// workers.h.
//
// Ownership: owns its processes and a thread, which end with it. Threads: all. Errors: the
// constructor throws BuildError for options that cannot be, and Error where no process can be
// started. In a child of fork() there are no workers: fetch(), begin_epoch() and broken() throw
// Error there, and the processes are left alone.

class WorkerPool {
 public:
  // `types`: of a sample, as text. `samples`: how many there are, to warn of workers that will have
  // nothing to do.
  WorkerPool(const std::string& name, const std::string& types, std::int64_t samples,
             const WorkerOptions& options);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();

  // `inputs` are for workers that have a function of such; what they refer to lives until the
  // request is answered.
  void fetch(const SampleInfo& info, std::unique_ptr<WorkerRequest> request,
             std::shared_ptr<RequestInputs> inputs = nullptr);
  // Throws Error if no worker is left.
  void begin_epoch();
  // With the last epoch that is open, requests that were not answered fail.
  void end_epoch() noexcept;
  WorkerStats stats() const;
  // Why no worker is left; empty while some are.
  std::string broken() const;

 private:
  struct Running;
  void start_thread();

  HomeProcess home_;
  std::unique_ptr<Running> running_;
};

}  // namespace sluice::detail
