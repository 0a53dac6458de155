// The pipeline of `sluice bench wait`: samples that each wait for a while, and do nothing else.
#pragma once

#include "benchmarks/workloads/subjects.h"

#include <chrono>

namespace sluice::app {

// How long each sample waits, and how many may do so at once. No pipeline delivers more samples in
// a second than kWaiting / kWait.
inline constexpr std::chrono::milliseconds kWait{5};
inline constexpr int kWaiting = 1024;

// A batch is no larger than kWaiting. One thread, which belongs to the subject, keeps the time of
// all that wait.
Subject make_wait_subject(SubjectOptions options);

}  // namespace sluice::app
