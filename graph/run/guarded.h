// guarded(): runs work for a sample so that no exception gets out. What the work throws becomes the
// sample's error. WorkScope: says which plan a thread works for, so that a pipeline
// can refuse calls from its own steps that would wait for themselves, and limits the size of what
// they make. StepScope: the same for threads that are not the pipeline's.
//
// Ownership: none. Threads: the task that carries the sample. Errors: nothing is thrown; an error
// needs no memory where there is none.
#pragma once

#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/sample.h>
#include <sluice/runtime/size_limit.h>

#include <exception>
#include <string>

namespace sluice::detail {

// Marks this thread as one that works for a plan, for as long as the scope lives. Scopes nest: a
// step of one pipeline may run another one.
class WorkScope {
 public:
  explicit WorkScope(const Plan& plan) noexcept
      : plan_(&plan), outer_(innermost), limit_(plan.max_image_bytes) {
    innermost = this;
  }
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
  explicit StepScope(const CompletionHandle& handle) : StepScope(*handle.sample_.load()) {}

 private:
  explicit StepScope(const Sample& sample) : work_(sample.plan()), pool_(*sample.wait.pool) {}

  WorkScope work_;
  BufferPoolScope pool_;
};

template <class Name>
void fail(Sample& sample, const Name& name, const char* what) noexcept {
  if (what == nullptr) what = "threw an exception whose what() is null";
  try {
    sample.fail(name(), what);
  } catch (...) {  // no memory for the name
    sample.fail({}, what);
  }
}

// Other messages name their operator; the limit does not know it.
template <class Name>
void fail(Sample& sample, const Name& name, const TooLarge& error) noexcept {
  try {
    const std::string step = name();
    sample.fail(step, step.substr(0, step.find('#')) + ": " + error.what());
  } catch (...) {  // no memory for the words
    sample.fail({}, error.what());
  }
}

// `name()` gives what the error names as the step; it is asked only when `work()` throws.
template <class Name, class Work>
void guarded(Sample& sample, const Name& name, const Work& work) noexcept {
  const WorkScope scope(sample.plan());
  try {
    work();
  } catch (const TooLarge& error) {
    detail::fail(sample, name, error);
  } catch (const std::exception& error) {
    detail::fail(sample, name, error.what());
  } catch (...) {
    detail::fail(sample, name, "threw something that is not a std::exception");
  }
}

}  // namespace sluice::detail
