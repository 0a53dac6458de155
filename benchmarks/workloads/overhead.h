// The pipelines of `sluice bench overhead`, whose bodies do nothing; and its rows, which show what
// a branch or a loop adds to the steps that a sample runs anyway.
#pragma once

#include "benchmarks/workloads/subjects.h"

#include <cstdio>
#include <string>
#include <vector>

namespace sluice::app {

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

}  // namespace sluice::app
