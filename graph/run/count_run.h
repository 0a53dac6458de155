// count_run: a step has run, and took so long. Internal to graph/run/. Threads: that of the sample.
// No errors.
#pragma once

#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/sample.h>

#include <chrono>

namespace sluice::detail {

// Only for a sample whose tally is timed.
inline void count_run(Sample& sample, const Step& step, std::chrono::nanoseconds took) {
  sample.tally.add(step.counter, 1);
  sample.tally.add(step.counter + 1, took.count());
}

}  // namespace sluice::detail
