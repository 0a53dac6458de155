// `sluice augment`: runs a recipe over a folder and writes the results as JPEG files, with a
// contact sheet if asked.
#pragma once

#include "recipes.h"

#include <cstdint>
#include <string>

namespace sluice::app {

struct AugmentOptions {
  std::string data;   // folder with JPEG files
  std::string out;    // folder for the results; made if missing
  std::string sheet;  // file for the contact sheet; empty: none
  Recipe recipe = Recipe::rotate;
  std::int64_t count = 0;  // samples; 0: each file once. More than there are files: further epochs.
  int batch = 32;
  std::uint64_t seed = 5;
  int threads = 0;  // 0: all CPUs of the process
  OnError on_error = OnError::skip;
  bool profile = false;  // print what the steps took and which arms were taken
};

// Returns the exit status: 1 when a sample failed and the policy is `fail`. Throws Error for what
// else goes wrong, and UsageError for options that cannot be.
int run_augment(const AugmentOptions& options);

}  // namespace sluice::app
