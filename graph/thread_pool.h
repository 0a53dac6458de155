// ThreadPool: a number of threads that several pipelines share, such as those of training and
// validation. Together they then keep no more CPUs busy than one of them would.
//
//   const auto threads = std::make_shared<ThreadPool>(8);
//   auto training = make_pipeline({.batch_size = 256, .thread_pool = threads}, ...);
//   auto validation = make_pipeline({.batch_size = 256, .thread_pool = threads}, ...);
//
// Pipelines that share a pool work on at most threads() samples at once, plus one for each pipeline
// after the first, because each may always work on one. A pipeline alone uses them all. If several
// want more, they get the same number. A pipeline that is not used, or that waits for its consumer
// or for files, leaves all of them to the others. The results are the same as without a pool.
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
  // For the engine: the credits that the pipelines share.
  flow::credit_pool& credits() const { return *credits_; }

 private:
  int threads_;
  std::unique_ptr<flow::credit_pool> credits_;
};

}  // namespace sluice
