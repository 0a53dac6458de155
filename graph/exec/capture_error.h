// capture_error(): runs work for a sample and lets no exception out. An exception becomes the
// sample's error.
//
// Ownership: none. Threads: the task that runs the sample. Errors: throws nothing; an error can be
// recorded even without free memory.
#pragma once

#include <sluice/graph/exec/sample.h>
#include <sluice/graph/exec/work_scope.h>
#include <sluice/graph/plan/plan.h>
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

// Other messages already name their operator, but the size limit does not know it.
template <class Name>
void fail(Sample& sample, const Name& name, const TooLarge& error) noexcept {
  try {
    const std::string& step = name();
    sample.fail(step, step.substr(0, step.find('#')) + ": " + error.what());
  } catch (...) {  // no memory for the message
    sample.fail({}, error.what());
  }
}

// `name()` returns the step's name for the error; it is called only if `work()` throws.
template <class Name, class Work>
void capture_error(Sample& sample, const Name& name, const Work& work) noexcept {
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
