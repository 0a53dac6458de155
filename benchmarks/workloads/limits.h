// The baselines of `sluice bench`. Each runs once over the images, and returns the seconds that it
// took.
#pragma once

#include "benchmarks/workloads/corpus.h"
#include <sluice/runtime/error.h>

#include <cstdint>

namespace sluice::app {

// Returns the error for a measurement that gets fewer threads than requested.
Error too_few_threads(int asked, int made);

// Only decodes every whole image with libjpeg-turbo: exact integer inverse DCT, fancy upsampling,
// RGB. The threads share a counter. Each keeps one libjpeg object and one image, so nothing is
// allocated or queued.
double run_full_decode(const Corpus& corpus, std::int64_t images, int threads);

// The rotate recipe as a hand-written loop. Each thread takes the next number, decodes, rotates one
// image in four, and resizes into its place in a batch. It uses the pipeline's kernels and random
// numbers.
class RotateLoop {
 public:
  RotateLoop(const Corpus& corpus, std::uint64_t seed, int batch)
      : corpus_(corpus), seed_(seed), batch_(batch) {}
  double run(std::int64_t images, int threads) const;

  struct Scratch {
    Image decoded;
    Image turned;
  };
  // Makes sample `id` of epoch 0, as the pipeline must deliver it.
  void make(std::int64_t id, Scratch& scratch, Image& out) const;

 private:
  const Corpus& corpus_;
  std::uint64_t seed_;
  int batch_;
};

// The shape of a pipeline (source, in-flight limit, three stages, a switch with one branch, order
// and batch), wired by hand from oneTBB's own nodes, with bodies that do nothing. Throws Error if a
// sample is lost.
double run_raw_tbb(std::int64_t samples, int threads, int batch);

}  // namespace sluice::app
