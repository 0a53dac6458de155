// WorkerPool: worker processes that make samples on request. Internal; users have workers() of
// workers.h.
//
// Ownership: owns its processes and a thread, which end with it. Threads: all. Errors: the
// constructor throws BuildError for options that cannot be, and Error where no process can be
// started. In a child of fork() there are no workers: fetch(), begin_epoch() and broken() throw
// Error there, and the processes are left alone.
#pragma once

#include <sluice/io/workers/options.h>
#include <sluice/io/workers/request.h>
#include <sluice/runtime/process.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace sluice::detail {

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
  std::mutex mutex_;  // guards the count
  int open_epochs_ = 0;
};

}  // namespace sluice::detail
