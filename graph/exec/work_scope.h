// WorkScope: marks the plan that a thread works for. A pipeline then refuses calls from its own
// steps that would wait for themselves, and limits the size of what they make. StepScope: the same
// for threads that are not the pipeline's.
//
// sample.cpp defines the members of StepScope. Ownership: none. Threads: a scope belongs to the
// thread that opened it. Errors: none.
#pragma once

#include <sluice/graph/exec/sample.h>
#include <sluice/runtime/memory.h>
#include <sluice/runtime/tensor.h>

namespace sluice::detail {

struct Plan;
class Sample;

// Marks this thread as working for a plan while the scope lives. Scopes nest: a step of one
// pipeline may run another pipeline.
class WorkScope {
 public:
  // Defined in capture_error.h. Include that to open a scope.
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

// Lets this thread run steps of the handle's pipeline while the scope lives. Memory comes from that
// pipeline's pool, and calls that would wait for the pipeline are refused. The handle must
// not have been fired yet, and must be fired only after the scope ends.
class StepScope {
 public:
  explicit StepScope(const CompletionHandle& handle);

 private:
  explicit StepScope(const Sample& sample);

  WorkScope work_;
  BufferPoolScope pool_;
};

}  // namespace sluice::detail
