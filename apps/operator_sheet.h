// The sheet of effects: shows the result of each image operator, with its line of C++. `sluice
// operators --sheet FILE` draws it.
//
// No state. Errors: IoError for a file that cannot be written.
#pragma once

#include <sluice/graph/graph.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/image.h>

#include <string>
#include <vector>

namespace sluice::app {

struct Effect {
  const char* name;  // of the operator
  const char* code;
  Value<Image> (*apply)(Graph& g, Value<Image> image);
};

// At least one effect for each operator that takes and returns an image, sorted by family and name.
const std::vector<Effect>& effects();
// The example image, and the result of an effect on an image.
Image effect_picture();
Image effect_on(const Effect& effect, const Image& picture);

void write_effects(const std::string& file);

}  // namespace sluice::app
