// `sluice bench latency`: how long a sample takes that is alone, from the moment at which its
// source gives its file until next() gives the batch, with nothing else under way: decode, resize
// to 224 x 224, normalise to f16. And the same for 2, 4, ... 256 samples that come at once. On the
// device, if there is one, and on the CPU, in turns.
#pragma once

#include "benchmarks/workloads/corpus.h"
#include "benchmarks/workloads/subjects.h"
#include "figures.h"

#include <cstdio>

namespace sluice::app {

// Takes the threads, the seed, the index and the device of `options`. `seconds`: of one side of one
// line of the table, about. Gives the figures.
Figures measure_latency(const Corpus& corpus, const SubjectOptions& options, double seconds,
                        int rounds, std::FILE* out);

}  // namespace sluice::app
