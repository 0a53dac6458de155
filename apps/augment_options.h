// The options of `sluice augment` on the command line, and what it shares with `sluice graph`.
#pragma once

#include "augment.h"

#include <string>

namespace CLI {
class App;
}

namespace sluice::app {

// What is given as words.
struct Words {
  std::string recipe = "rotate";
  std::string size;  // empty: the recipe's own
  std::string box_format = "xyxy";
  std::string on_error = "skip";
  std::string pictures;
};

void add_augment(CLI::App& command, AugmentOptions& options, Words& words);
// --recipe, --size and --pipeline.
void add_recipe(CLI::App& command, Words& words, std::string& pipeline);

// They were checked when the command line was read.
Recipe recipe_of(const Words& words);
RecipeSize size_of(const Words& words);
BoxFormat box_format_of(const Words& words);
OnError policy_of(const Words& words);

}  // namespace sluice::app
