// ThreadPool: a limit on the samples that several pipelines work on at once, such as those of
// training and validation.
//
//   const auto threads = std::make_shared<ThreadPool>(8);
//   auto training = make_pipeline({.batch_size = 256, .thread_pool = threads}, ...);
//   auto validation = make_pipeline({.batch_size = 256, .thread_pool = threads}, ...);
//
// Each pipeline still has its own threads, as many as the pool's number. Together they work on at
// most that many samples at once, plus one for each pipeline after the first, because each may
// always work on one. If several have work, each gets about the same number. A pipeline without
// work, or one that waits for its consumer or for files, leaves all to the others. A step that
// blocks does not: if it waits for another sample, that sample may never begin. The results are the
// same as without a pool.
//
// Ownership: the pipelines share it. Threads: any. Errors: BuildError for a negative number of
// threads, or for more than 4096.
#pragma once

#include <memory>

namespace sluice {

namespace flow {
class credit_pool;
}

class ThreadPool {
 public:
  // 0: as many as the CPUs that the process may use.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }
  // For the engine: the credits that the pipelines borrow.
  flow::credit_pool& credits() const { return *credits_; }

 private:
  int threads_;
  std::unique_ptr<flow::credit_pool> credits_;
};

}  // namespace sluice
