// The processing of each sample in `sluice augment`: applies a recipe or a saved plan and encodes
// its results as files.
//
// Ownership: values. Threads: call it while describing a pipeline. Errors: BuildError.
#pragma once

#include "recipes.h"
#include "results.h"
#include <sluice/graph/value.h>
#include <sluice/runtime/bytes.h>

#include <functional>

namespace sluice {
class SavedPlan;
}

namespace sluice::app {

struct Treated {
  Value<Bytes> jpeg;  // the encoded image
  Value<Treatment> treatment;
  Value<Beside> beside;
};

// If `plan` is null, applies the recipe at this size. Calls `encoded` on any thread each time an
// image has been encoded.
Treated treat(Graph& g, Recipe recipe, const RecipeSize& size, const SavedPlan* plan,
              const Given& given, bool on_device, std::function<void()> encoded);

}  // namespace sluice::app
