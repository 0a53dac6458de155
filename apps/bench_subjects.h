// The pipelines that `sluice bench` measures, each behind one function that runs an epoch of it.
//
// A Subject owns its pipeline and refers to the corpus, which must outlive it. Threads: one.
#pragma once

#include "bench_corpus.h"
#include "bench_limits.h"
#include <sluice/graph/engine.h>

#include <cstdint>
#include <functional>
#include <string>

namespace sluice::app {

struct Subject {
  // Delivers all images of epoch 0 and throws them away; seconds from the start to the last batch.
  std::function<double()> run;
  std::function<Stats()> stats;
};

struct SubjectOptions {
  std::int64_t images = 0;  // of an epoch; files are used again as often as it takes
  int threads = 1;
  int batch = 64;
  std::uint64_t seed = 42;
};

// `workload` is one of decode, region, train, eval, rotate and conditional.
Subject make_subject(const std::string& workload, const Corpus& corpus,
                     const SubjectOptions& options);

// Empty bodies, see run_raw_tbb.
Subject make_overhead_subject(const SubjectOptions& options);

// Compares the first images of the rotate pipeline with the loop's, byte for byte; throws Error
// when they differ.
void check_rotate_loop(const Corpus& corpus, const SubjectOptions& options, const RotateLoop& loop);

}  // namespace sluice::app
