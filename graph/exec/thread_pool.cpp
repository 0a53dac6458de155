#include <sluice/graph/exec/thread_pool.h>
#include <sluice/graph/flow/credit_pool.h>
#include <sluice/graph/options.h>

#include <cstddef>
#include <memory>

namespace sluice {

// Each pipeline owns a credit, so the pool has one less than threads.
ThreadPool::ThreadPool(int threads)
    : threads_(checked_threads(threads)),
      credits_(std::make_unique<flow::credit_pool>(static_cast<std::size_t>(threads_) - 1)) {}

ThreadPool::~ThreadPool() = default;

}  // namespace sluice
