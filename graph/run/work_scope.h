// WorkScope: says which plan a thread works for. A pipeline then refuses calls from its own steps
// that would wait for themselves, and limits the size of what they make. StepScope: the same for
// threads that are not the pipeline's.
//
// Ownership: none. Threads: a scope belongs to the thread that opened it. Errors: none.
#pragma once

#include <sluice/graph/plan/sample.h>
#include <sluice/runtime/buffer_pool.h>
#include <sluice/runtime/tensor.h>

namespace sluice::detail {

struct Plan;
class Sample;

// Marks this thread as one that works for a plan, for as long as the scope lives. Scopes nest: a
// step of one pipeline may run another one.
class WorkScope {
 public:
  // Defined in guarded.h. Include that to open a scope.
  explicit inline WorkScope(const Plan& plan) noexcept;
  ~WorkScope() { innermost = outer_; }
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

  static bool is_open(const Plan& plan) noexcept {
    for (const WorkScope* scope = innermost; scope != nullptr; scope = scope->outer_) {
      if (scope->plan_ == &plan) return true;
    }
    return false;
  }

 private:
  static constinit thread_local const WorkScope* innermost;
  const Plan* plan_;
  const WorkScope* outer_;
  SizeLimit limit_;
};

inline constinit thread_local const WorkScope* WorkScope::innermost = nullptr;

// Makes this thread, for as long as the scope lives, one that runs steps of the pipeline whose
// handle it is given: memory comes from its pool, and calls are refused that would wait for it. The
// handle has not been fired, and is fired after the scope has gone.
class StepScope {
 public:
  explicit StepScope(const CompletionHandle& handle);

 private:
  explicit StepScope(const Sample& sample);

  WorkScope work_;
  BufferPoolScope pool_;
};

}  // namespace sluice::detail
