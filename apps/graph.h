// `sluice graph`: shows the plan of a recipe or a saved plan, as a Graphviz drawing or as text.
// With images, it adds the counts and times of a run. It can also show the effect of each pass.
#pragma once

#include "recipes.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::app {

struct GraphOptions {
  Recipe recipe = Recipe::rotate;
  RecipeSize size;                // of the results
  std::string pipeline;           // file of a saved plan, instead of the recipe
  bool text = false;              // text instead of a drawing
  bool json = false;              // the plan as it is saved, without unused steps; nothing runs
  bool passes = false;            // the plan as recorded, and after each pass; nothing runs
  std::string data;               // folder with JPEG files to run the recipe on; may be empty
  std::vector<std::string> pack;  // packs to run it on instead; may be empty
  std::int64_t count = 0;         // the number of samples; 0: each file once
  int threads = 0;                // 0: all CPUs of the process
  std::string device = "cpu";     // where the steps run, see chosen_device
  bool compose = false;           // see PipelineOptions
  std::string trace;              // file for the trace of the run; may be empty
};

// Returns the exit status. Files that cannot be decoded are skipped. Throws UsageError for invalid
// options, and for a folder or packs that cannot be used.
int run_graph(const GraphOptions& options);

}  // namespace sluice::app
