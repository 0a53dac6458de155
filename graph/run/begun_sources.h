// BegunSources: tells sources about the beginning and end of an epoch. The constructor calls
// begin() of all sources; the destructor calls end() once for each begun source, in reverse order.
//
// Ownership: refers to the plan. Threads: the consumer's; call it without any lock, because it
// calls the user's code. Errors: throws what a source throws when it cannot begin; the sources
// before it are then ended.
#pragma once

#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/visit.h>
#include <sluice/graph/run/guarded.h>

#include <vector>

namespace sluice::detail {

class BegunSources {
 public:
  BegunSources(const Plan& plan, const EpochInfo& info) : plan_(plan) {
    const WorkScope scope(plan_);
    try {
      for_each<Step>(plan.top, [&](const Step& step) {
        if (step.epoch == nullptr) return;
        begun_.reserve(begun_.size() + 1);
        if (step.epoch->begin) step.epoch->begin(info);
        begun_.push_back(step.epoch.get());
      });
    } catch (...) {
      end();
      throw;
    }
  }
  BegunSources(const BegunSources&) = delete;
  BegunSources& operator=(const BegunSources&) = delete;
  ~BegunSources() { end(); }

 private:
  void end() noexcept {
    const WorkScope scope(plan_);
    for (; !begun_.empty(); begun_.pop_back()) {
      if (begun_.back()->end) begun_.back()->end();
    }
  }

  const Plan& plan_;
  std::vector<const EpochHooks*> begun_;
};

}  // namespace sluice::detail
