// `sluice augment`: runs a recipe over a folder, a list or archives and writes the results as JPEG
// files, with a contact sheet if asked.
#pragma once

#include "dataset.h"
#include "recipes.h"
#include <sluice/graph/options.h>

#include <cstdint>
#include <string>

namespace sluice::app {

struct AugmentOptions {
  DatasetOptions dataset;
  std::string out;         // output folder; created if missing
  bool flat = false;       // all results in one folder; see Results::path
  bool overwrite = false;  // `out` may hold files
  bool resume = false;     // keep the results in `out` of an earlier run with the same options
  std::string sheet;       // file for the contact sheet; empty: none
  Recipe recipe = Recipe::rotate;
  RecipeSize size;       // of the results
  std::string pipeline;  // file of a saved plan, instead of the recipe; its first output is written
  std::int64_t count = 0;  // samples; 0: each file once. More than there are files: further epochs.
  std::int64_t epochs = 1;  // used if `count` is 0
  // Process the samples in random order. This also decides which ones `count` omits.
  bool shuffle = false;
  std::string shard;       // see ProcessShard
  std::string checkpoint;  // see RunCheckpoint; empty: none
  double checkpoint_every_s = 10;
  int workers = 0;  // processes that read the files; 0: this process's threads read them
  int batch = 32;
  std::uint64_t seed = 5;
  int threads = 0;              // 0: all CPUs of the process
  int io_threads = kAutomatic;  // see PipelineOptions
  OnError on_error = OnError::skip;
  std::string index = "off";      // see chosen_index
  std::string device = "cpu";     // where images are decoded and processed, see chosen_device
  std::string decoder = "exact";  // for a GPU, see chosen_decoder
  bool compose = false;           // see PipelineOptions
  bool profile = false;           // print the time of each step and how often each branch was taken
  std::string trace;              // file for the trace; empty: none
};

// The names of the results are described in Results. Unreadable or undecodable files and unreadable
// folders are named and counted. Ctrl-C and SIGTERM end the run early, with a summary; the results
// so far stay, and a run with `resume` continues from them. Returns the exit status: 0, or 128 plus
// the signal. Throws UsageError for invalid options, and Error for other failures: a sample that
// failed under the policy `fail`, a result that cannot be written, or no result at all.
int run_augment(const AugmentOptions& options);

}  // namespace sluice::app
