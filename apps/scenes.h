// Scenes: the content of the demo images. Each looks different when it is mirrored, turned or
// upside down.
//
// Drawing functions for a canvas of any shape. Threads: any; no state. Errors: those of Canvas.
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
