// `sluice bench source`: what sources cost: samples that wait, in threads and in worker processes;
// pictures that are decoded in either; samples of 1 MB through shared memory, beside memcpy; small
// samples through a worker; and what it takes to begin with a shuffle of 10^9 samples.
//
// All of it is measured in turns, round after round; the first round warms up and does not count.
#pragma once

#include "figures.h"

#include <cstdio>
#include <string>

namespace sluice::app {

struct SourceBenchOptions {
  std::string data;  // folder with JPEG files; empty: nothing is decoded
  int threads = 1;   // of the pipelines
  int workers = 4;
  int batch = 64;
  double seconds = 2;  // of one row in one round, about
  int rounds = 5;
};

// Says on `out` what came of it, and gives the figures. Throws UsageError for a folder without
// pictures.
Figures measure_source(const SourceBenchOptions& options, std::FILE* out);

}  // namespace sluice::app
