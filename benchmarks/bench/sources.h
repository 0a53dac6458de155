// `sluice bench source`: measures the cost of sources. The rows are: samples that wait, in threads
// and in worker processes; images that are decoded in either; 1 MB samples through shared memory,
// compared with memcpy; small samples through a worker; and the start of a shuffle of 10^9 samples.
//
// All rows are measured in interleaved rounds; the first round is a warm-up and does not count.
#pragma once

#include "apps/json_report.h"

#include <cstdio>
#include <string>

namespace sluice::app {

struct SourceBenchOptions {
  std::string data;  // folder with JPEG files; empty: nothing is decoded
  int threads = 1;   // of the pipelines
  int workers = 4;
  int batch = 64;
  double seconds = 2;  // of one row in one round, approximately
  int rounds = 5;
};

// Prints the results on `out` and returns the figures. Throws UsageError for a folder without
// images.
Figures measure_source(const SourceBenchOptions& options, std::FILE* out);

}  // namespace sluice::app
