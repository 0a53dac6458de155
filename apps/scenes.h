// Scenes: what the demo pictures show. Each looks different when it is mirrored, turned or stood on
// its head.
//
// Drawing functions on a canvas of any shape; no state, no errors.
#pragma once

#include "canvas.h"

#include <vector>

namespace sluice::app {

struct Scene {
  const char* name;
  void (*draw)(Canvas&);
};

// All scenes, in a fixed order.
const std::vector<Scene>& scenes();

}  // namespace sluice::app
