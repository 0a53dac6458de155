// The workloads of `sluice bench` without images. The steps of `overhead` do nothing. Its pipelines
// are compared with a hand-wired oneTBB graph of the same shape. Its rows show the cost that a
// branch or a loop adds to the steps of a sample. Each sample of `wait` only waits for a while.
#pragma once

#include "benchmarks/bench/workloads.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace sluice::app {

// Runs a graph of oneTBB's own nodes in the shape of a pipeline: source, in-flight limit, three
// stages, a switch with one branch, order and batch. Their bodies do nothing. Throws Error if a
// sample is lost.
double run_raw_tbb(std::int64_t samples, int threads, int batch);

// Returns the middle value, or the mean of the two middle ones.
double median(std::vector<double> values);

// Has the shape of run_raw_tbb.
Subject make_overhead_subject(const SubjectOptions& options);

struct OverheadRow {
  std::string name;
  std::vector<double> ns;       // per sample; one value for each round
  std::vector<double> base_ns;  // the same steps without branch or loop, in the same round
  std::vector<double> adds() const;
};

// In each round every pipeline runs once, for about `seconds`; a round before them warms up.
// Ignores options.images. Prints its progress to `out`.
std::vector<OverheadRow> measure_overhead_rows(const SubjectOptions& options, double seconds,
                                               int rounds, std::FILE* out);

// The waiting time of each sample, and the number that may wait at once. No pipeline can deliver
// more samples per second than kWaiting / kWait.
inline constexpr std::chrono::milliseconds kWait{5};
inline constexpr int kWaiting = 1024;

// The batch size must not exceed kWaiting. One thread, which belongs to the subject, times all
// waiting samples.
Subject make_wait_subject(SubjectOptions options);

}  // namespace sluice::app
