// `sluice bench`: what a pipeline delivers, beside what is possible, measured in the same run and
// in turns: ours, the limit, ours, the limit, ... so that a machine whose speed changes changes
// both.
//
//   decode, region, train, eval, rotate   beside a loop over libjpeg-turbo's full decode that
//                                         does nothing else
//   decode, region on a GPU               beside NVIDIA's nvJPEG, too, which decodes whole files
//                                         (nvjpeg_rival.h)
//   conditional                           beside the same kernels in a hand-written loop with the
//                                         same threads
//   pipeline                              a saved plan, beside libjpeg-turbo's full decode, too
//   latency                               see latency.h
//   source                                see source_bench.h
//   overhead                              beside the same shape as a hand-wired oneTBB graph, no
//                                         work in either; then choices and loops beside the same
//                                         steps in a line
//   wait                                  samples that each wait 5 ms, beside what as many as the
//                                         window holds allow
//
// All files lie in memory before anything is measured. Each round works on the same images with the
// same random numbers. With an index, ours decodes regions with its help and the limit without; one
// in memory is filled by the round that warms up.
#pragma once

#include "recipes.h"

#include <string>
#include <vector>

namespace sluice::app {

struct BenchOptions {
  std::string workload;  // may be empty with `recipe` or `pipeline`
  std::string recipe;    // the workload of a recipe, instead
  RecipeSize size;       // of what a recipe makes
  std::string pipeline;  // file of a saved plan, for the workload `pipeline`
  std::string data;      // not needed for `overhead`, `wait` and `source`
  int threads = 0;       // 0: all CPUs of the process; 1 for `overhead`, 2 for `wait`
  double seconds = 2;    // of one side of one round, about
  int rounds = 5;
  int workers = 0;  // of `source`; 0: 4
  int batch = 64;
  // See chosen_index; not for those two. Empty: off, but for `latency`, which has one in memory.
  std::string index;
  std::string device = "cpu";     // of the workloads on files, see chosen_device
  std::string decoder = "exact";  // of a GPU, see chosen_decoder
  bool compose = false;           // see PipelineOptions
  // "auto": wherever the system has it; "off"; or the file of the library.
  std::string nvjpeg = "auto";
  std::string json;   // file for the figures; "-" is standard output, empty none
  std::string trace;  // file for the trace of ours, all rounds of it; empty: none
};

// All but that of a saved plan, and those that measure more than images a second.
const std::vector<std::string>& bench_workloads();
inline constexpr const char* kSavedPlan = "pipeline";
inline constexpr const char* kLatency = "latency";
inline constexpr const char* kSource = "source";

// With the workload of the recipe or the saved plan, and the size of what it makes. Throws
// UsageError for what does not go together.
BenchOptions checked_options(const BenchOptions& options);
// Returns the exit status; throws UsageError and Error.
int run_bench(const BenchOptions& options);

}  // namespace sluice::app
