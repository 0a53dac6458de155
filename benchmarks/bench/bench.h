// `sluice bench`: compares the throughput of a pipeline ("ours") with what is possible (the
// "limit"). Both run in the same process in interleaved rounds: ours, the limit, ours, the limit,
// ... So changes in the machine's speed affect both.
//
//   decode, region, train, eval, rotate   against a loop that only runs libjpeg-turbo's full
//                                         decode
//   decode, region on a GPU               also against NVIDIA's nvJPEG, which decodes whole files
//                                         (nvjpeg_baseline.h)
//   conditional                           against the same kernels in a hand-written loop with the
//                                         same threads
//   pipeline                              a saved plan, also against libjpeg-turbo's full decode
//   latency                               see latency.h
//   urls                                  train on packs at URLs, against the same packs on the
//                                         disk; a server in this process delays each answer
//   source                                see sources.h
//   overhead                              against a hand-wired oneTBB graph of the same shape, both
//                                         without work; then branches and loops against the same
//                                         steps in sequence
//   wait                                  samples that each wait 5 ms, against the rate that the
//                                         in-flight window allows
//
// With packs, the pipeline gets the packed files, and the other side the JPEG files that they were
// made of. So the ratio is comparable with that of the folder.
//
// All files are read into memory before the measurement. Each round uses the same images and the
// same random numbers. Only ours uses an index, to decode regions. An index in memory is filled by
// the warm-up round.
#pragma once

#include "apps/recipes.h"

#include <string>
#include <vector>

namespace sluice::app {

struct BenchOptions {
  std::string workload;           // may be empty with `recipe` or `pipeline`
  std::string recipe;             // a recipe to use as the workload
  RecipeSize size;                // of the recipe's results
  std::string pipeline;           // file of a saved plan, for the workload `pipeline`
  std::string data;               // not needed for `overhead`, `wait` and `source`
  std::vector<std::string> pack;  // packs, instead of `data`
  int threads = 0;                // 0: all CPUs of the process; 1 for `overhead`, 2 for `wait`
  double seconds = 2;             // of one side of one round, approximately
  int rounds = 5;
  int workers = 0;  // for `source`; 0: 4
  int batch = 64;
  // See chosen_index; not for `overhead` and `wait`. Empty: off, except that `latency` uses one in
  // memory.
  std::string index;
  std::string device = "cpu";     // for workloads on files, see chosen_device
  std::string decoder = "exact";  // for a GPU, see chosen_decoder
  bool compose = false;           // see PipelineOptions
  // "auto": use the installed library, if any; "off"; or the library's file.
  std::string nvjpeg = "auto";
  std::string json;   // file for the results; "-": standard output; empty: none
  std::string trace;  // file for the trace of all rounds of ours; empty: none
};

// All except a saved plan and those that measure more than images per second.
const std::vector<std::string>& bench_workloads();
inline constexpr const char* kSavedPlan = "pipeline";
inline constexpr const char* kLatency = "latency";
inline constexpr const char* kSource = "source";
inline constexpr const char* kUrls = "urls";

// Returns the options with the workload of the recipe or saved plan, and the size of its results.
// Throws UsageError for options that contradict each other.
BenchOptions checked_options(const BenchOptions& options);
// Returns the exit status; throws UsageError and Error.
int run_bench(const BenchOptions& options);

}  // namespace sluice::app
