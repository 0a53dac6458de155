// guarded(): runs work for a sample so that no exception gets out. What the work throws becomes the
// sample's error.
//
// Ownership: none. Threads: the task that carries the sample. Errors: nothing is thrown; an error
// needs no memory where there is none.
#pragma once

#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/sample.h>
#include <sluice/graph/run/work_scope.h>
#include <sluice/runtime/tensor.h>

#include <exception>
#include <string>

namespace sluice::detail {

inline WorkScope::WorkScope(const Plan& plan) noexcept
    : plan_(&plan), outer_(innermost), limit_(plan.max_image_bytes) {
  innermost = this;
}

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
    const std::string& step = name();
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
