// What `sluice augment` does to each sample: a recipe or a saved plan, and files of what that
// makes.
//
// Called while a pipeline is described. Errors: BuildError.
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
  Value<Bytes> jpeg;  // the picture, encoded
  Value<Treatment> treatment;
  Value<Beside> beside;
};

// A null plan: the recipe, of this size. `encoded` is called on any thread when a picture is
// encoded.
Treated treat(Graph& g, Recipe recipe, const RecipeSize& size, const SavedPlan* plan,
              const Given& given, bool on_device, std::function<void()> encoded);

}  // namespace sluice::app
