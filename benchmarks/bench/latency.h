// `sluice bench latency`: measures the time from the moment when a source returns a file until
// next() returns the batch, with nothing else under way. The pipeline decodes, resizes to 224 x
// 224, and normalizes to f16. It is measured for 1, 2, 4, ... 256 samples at once. If there is a
// device, device and CPU are measured in interleaved rounds.
#pragma once

#include "apps/json_report.h"
#include "benchmarks/bench/workloads.h"

#include <cstdio>

namespace sluice::app {

// Uses the threads, the seed, the index and the device of `options`. `seconds`: the approximate
// time of one side of one line of the table. Returns the figures.
Figures measure_latency(const Corpus& corpus, const SubjectOptions& options, double seconds,
                        int rounds, std::FILE* out);

}  // namespace sluice::app
