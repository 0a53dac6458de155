// StepClock: the clock for step times. count_run(): adds one run and its time to the tally.
// Internal to graph/run/. Threads: that of the sample. No errors.
#pragma once

#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/sample.h>

#include <chrono>
#include <cstdint>

namespace sluice::detail {

using StepClock = std::chrono::steady_clock;

// Converts a time to and from the form in Wait::since.
inline std::int64_t nanoseconds_of(StepClock::time_point at) {
  return std::chrono::nanoseconds(at.time_since_epoch()).count();
}
inline StepClock::time_point time_of(std::int64_t nanoseconds) {
  return StepClock::time_point(std::chrono::nanoseconds(nanoseconds));
}

// Only for a sample whose tally is timed.
inline void count_run(Sample& sample, const Step& step, std::chrono::nanoseconds took) {
  sample.tally.add(step.counter, 1);
  sample.tally.add(step.counter + 1, took.count());
}

}  // namespace sluice::detail
