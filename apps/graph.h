// `sluice graph`: shows the plan of a recipe or a file, as a drawing for Graphviz or as text; with
// pictures, what was counted and timed on them; or what each pass did.
#pragma once

#include "recipes.h"

#include <cstdint>
#include <string>

namespace sluice::app {

struct GraphOptions {
  Recipe recipe = Recipe::rotate;
  RecipeSize size;         // of what it makes
  std::string pipeline;    // file of a saved plan, instead of the recipe
  bool text = false;       // instead of a drawing
  bool json = false;       // the plan as it is saved, without what no output needs; nothing runs
  bool passes = false;     // the plan as it was recorded, and after each pass; nothing runs
  std::string data;        // folder with JPEG files that run through the recipe first; may be empty
  std::int64_t count = 0;  // how many samples; 0: each file once
  int threads = 0;         // 0: all CPUs of the process
  std::string device = "cpu";  // where the steps run, see chosen_device
  bool compose = false;        // see PipelineOptions
  std::string trace;           // file for the trace of that run; may be empty
};

// Returns the exit status. Files that cannot be decoded are skipped. Throws UsageError for a folder
// that cannot be used.
int run_graph(const GraphOptions& options);

}  // namespace sluice::app
