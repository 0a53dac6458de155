// What `sluice bench` compares with. Each runs once over the images and gives the seconds that it
// took.
#pragma once

#include "benchmarks/workloads/corpus.h"
#include <sluice/runtime/error.h>

#include <cstdint>

namespace sluice::app {

// What a measurement with fewer threads than it was asked for says instead of figures.
Error too_few_threads(int asked, int made);

// Decodes every image whole with libjpeg-turbo, and nothing else: exact integer inverse DCT, fancy
// upsampling, RGB. The threads share a counter; each keeps one libjpeg object and one picture, so
// nothing is allocated or queued.
double run_full_decode(const Corpus& corpus, std::int64_t images, int threads);

// The rotate recipe as one would write it by hand: threads that take the next number, decode, turn
// one picture in four, resize into its place of a batch. The same kernels and random numbers as the
// pipeline's.
class RotateLoop {
 public:
  RotateLoop(const Corpus& corpus, std::uint64_t seed, int batch)
      : corpus_(corpus), seed_(seed), batch_(batch) {}
  double run(std::int64_t images, int threads) const;

  struct Scratch {
    Image decoded;
    Image turned;
  };
  // Sample `id` of epoch 0, as the pipeline must deliver it.
  void make(std::int64_t id, Scratch& scratch, Image& out) const;

 private:
  const Corpus& corpus_;
  std::uint64_t seed_;
  int batch_;
};

// Source, window, three stages, a switch, an arm, order and batch, wired by hand from oneTBB's own
// nodes, with bodies that do nothing. Throws Error if a sample is lost on the way.
double run_raw_tbb(std::int64_t samples, int threads, int batch);

}  // namespace sluice::app
