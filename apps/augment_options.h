// Adds the command-line options of `sluice augment`; some are shared with `sluice graph`.
#pragma once

#include "augment.h"

#include <string>

namespace CLI {
class App;
}

namespace sluice::app {

// The text of options that are parsed later.
struct Words {
  std::string recipe = "rotate";
  std::string size;  // empty: the recipe's own
  std::string box_format = "xyxy";
  std::string on_error = "skip";
  std::string pictures;
};

void add_augment(CLI::App& command, AugmentOptions& options, Words& words);
// Adds --recipe, --size and --pipeline.
void add_recipe(CLI::App& command, Words& words, std::string& pipeline);

// These parse options that the command line has already checked.
Recipe recipe_of(const Words& words);
RecipeSize size_of(const Words& words);
BoxFormat box_format_of(const Words& words);
OnError policy_of(const Words& words);

}  // namespace sluice::app
