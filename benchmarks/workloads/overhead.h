// The pipelines of `sluice bench overhead`, whose bodies do nothing, and its rows: what a choice or
// a loop adds to the steps that a sample runs anyway.
#pragma once

#include "benchmarks/workloads/subjects.h"

#include <cstdio>
#include <string>
#include <vector>

namespace sluice::app {

// Of an odd number of values the middle one, else the mean of the two in the middle.
double median(std::vector<double> values);

// The shape of run_raw_tbb.
Subject make_overhead_subject(const SubjectOptions& options);

struct OverheadRow {
  std::string name;
  std::vector<double> ns;       // for each sample; one figure a round
  std::vector<double> base_ns;  // the same steps in a line, in the same round
  std::vector<double> adds() const;
};

// In each round every pipeline runs once, for about `seconds`; a round before them warms up.
// options.images does not matter. Says on `out` how far it is.
std::vector<OverheadRow> measure_overhead_rows(const SubjectOptions& options, double seconds,
                                               int rounds, std::FILE* out);

}  // namespace sluice::app
