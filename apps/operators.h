// `sluice operators`: lists the operators, or describes one; with --sheet FILE, draws the sheet of
// effects: the result of each image operator, with its line of C++; with --images DIR, writes each
// result as a file of its own.
//
// No state. Errors: UsageError for an unknown operator, IoError for a file that cannot be written.
#pragma once

#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

#include <string>
#include <vector>

namespace sluice {
class Graph;
}

namespace sluice::app {

struct OperatorsOptions {
  std::string name;       // of one operator; empty: all
  bool json = false;      // for programs
  bool markdown = false;  // prints docs/operators.md; all operators
  std::string sheet;      // file for the sheet of effects; empty: none
  std::string images;     // folder for the image of each effect; empty: none
};

// Returns the exit status. Throws UsageError for an unknown operator, and IoError for a sheet or an
// image that cannot be written.
int run_operators(const OperatorsOptions& options);
bool is_operator(const std::string& name);

struct Effect {
  const char* name;  // of the operator
  const char* code;
  Value<Image> (*apply)(Graph& g, Value<Image> image);
};

// One effect for each operator that takes and returns an image, sorted by family and name.
const std::vector<Effect>& effects();
// The example image, and the result of an effect on an image.
Image effect_image();
Image effect_on(const Effect& effect, const Image& image);

void write_effects(const std::string& file);
// Writes before.jpg, the example image, and NAME.jpg for each effect. Makes the folder if it is
// missing.
void write_effect_images(const std::string& folder);

}  // namespace sluice::app
