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
  std::string out;         // folder for the results; made if missing
  bool flat = false;       // all results in one folder; see Results::path
  bool overwrite = false;  // `out` may hold files
  bool resume = false;     // what a run with the same options has left in `out` is kept
  std::string sheet;       // file for the contact sheet; empty: none
  Recipe recipe = Recipe::rotate;
  RecipeSize size;       // of what it makes
  std::string pipeline;  // file of a saved plan, instead of the recipe; its first output is written
  std::int64_t count = 0;  // samples; 0: each file once. More than there are files: further epochs.
  std::int64_t epochs = 1;  // where `count` is 0
  bool shuffle = false;     // which samples come first, and so which ones `count` leaves out
  std::string shard;        // see Part
  std::string checkpoint;   // see RunCheckpoint; empty: none
  double checkpoint_every_s = 10;
  int workers = 0;  // processes that read the files; 0: threads of this one do
  int batch = 32;
  std::uint64_t seed = 5;
  int threads = 0;              // 0: all CPUs of the process
  int io_threads = kAutomatic;  // see PipelineOptions
  OnError on_error = OnError::skip;
  std::string index = "off";      // see chosen_index
  std::string device = "cpu";     // where pictures are decoded and changed, see chosen_device
  std::string decoder = "exact";  // of a GPU, see chosen_decoder
  bool compose = false;           // see PipelineOptions
  bool profile = false;           // print what the steps took and which arms were taken
  std::string trace;              // file for the trace; empty: none
};

// See Results for the names. Files that cannot be read or decoded, and folders that cannot be read,
// are named and counted. Ctrl-C and SIGTERM end the run early, with a summary; what is there stays,
// and is what a run with `resume` goes on from. Returns the exit status: 0, or 128 and the signal.
// Throws UsageError for options that cannot be, and Error for what else goes wrong: a sample that
// failed when the policy is `fail`, a result that cannot be written, or nothing to deliver at all.
int run_augment(const AugmentOptions& options);

}  // namespace sluice::app
