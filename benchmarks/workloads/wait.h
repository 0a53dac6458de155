// The pipeline of `sluice bench wait`: each sample waits for a while, and does nothing else.
#pragma once

#include "benchmarks/workloads/subjects.h"

#include <chrono>

namespace sluice::app {

// The waiting time of each sample, and the number that may wait at once. No pipeline can deliver
// more samples per second than kWaiting / kWait.
inline constexpr std::chrono::milliseconds kWait{5};
inline constexpr int kWaiting = 1024;

// The batch size must not exceed kWaiting. One thread, which belongs to the subject, times all
// waiting samples.
Subject make_wait_subject(SubjectOptions options);

}  // namespace sluice::app
