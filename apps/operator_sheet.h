// The sheet of effects: what each operator that changes a picture makes of one, with the line of
// C++ that does it. `sluice operators --sheet FILE` draws it.
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

// At least one for each operator that takes a picture and gives one, by family and name.
const std::vector<Effect>& effects();
// The picture that they are shown on, and what one makes of it.
Image effect_picture();
Image effect_on(const Effect& effect, const Image& picture);

void write_effects(const std::string& file);

}  // namespace sluice::app
