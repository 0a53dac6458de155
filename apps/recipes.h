// The built-in pipelines (recipes) as functions from a file's bytes to an image and a note of what
// was done.
//
//   rotate          rotates a quarter of the images by 10 to 30 degrees; resizes all to 400 x 400
//   train           a random region, resized to 224 x 224; half of them are mirrored. For training
//                   a classifier
//   eval            resizes the shorter side to 256 and crops the 224 x 224 center. For testing a
//                   classifier
//   randaugment     train, then 2 of the 14 operators of RandAugment, magnitude 9 of 0 to 30
//   trivialaugment  train, then 1 of them, of any magnitude (TrivialAugmentWide)
//   autoaugment     train, then one of the 25 pairs of operators found for ImageNet
//   augmix          train, then mixed with 3 images made from it by 1 to 3 operators each
//   simclr          two views of one decode, side by side: random regions resized to 224 x 224,
//                   randomly mirrored, color-jittered, grayed and blurred
//   dino            2 global views of 224 x 224 and 8 local ones of 96 x 96 of one decode, on one
//                   image
//   detection       a random region of 300 x 300 with its boxes, as in the training of SSD
//   segmentation    a random crop of 512 x 512 of the image and its mask, scaled by 0.5 to 2
//
// --size replaces these sizes: see size_of(). The recipes before simclr, except rotate, draw random
// numbers as torchvision does. With a device all recipes decode and process their images there.
// Numbers such as boxes stay on the host, and so does the last step of augmix, the weighted sum.
//
// Ownership: values. Threads: call them while describing a pipeline. Errors: BuildError; UsageError
// for a size.
#pragma once

#include "dataset.h"
#include <sluice/graph/value.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice {
class Graph;
}

namespace sluice::app {

enum class Recipe {
  rotate,
  train,
  eval,
  randaugment,
  trivialaugment,
  autoaugment,
  augmix,
  simclr,
  dino,
  detection,
  segmentation
};
const std::vector<Recipe>& recipes();
const char* name_of(Recipe recipe);
// The names, and imagenet, an alias for train.
const std::vector<std::string>& recipe_names();
// Returns nothing for an unknown name.
std::optional<Recipe> recipe_of(const std::string& name);

// The size of a recipe's results, in pixels.
struct RecipeSize {
  static constexpr int kMost = 16384;  // the longest side
  int width = 0, height = 0;           // 0: the recipe's own
  friend bool operator==(const RecipeSize&, const RecipeSize&) = default;
};
// Returns `wished`, or the recipe's own size if it is 0 x 0. For eval it is the size of the crop;
// the shorter side is first resized to 8/7 of the crop's longer side. For simclr it is the size of
// each view. A recipe with images of two sizes has 0 x 0; throws UsageError if `wished` is given
// for it.
RecipeSize size_of(Recipe recipe, const RecipeSize& wished = {});

// The name, with the size if it is not the recipe's own, since another size changes the results.
std::string name_of(Recipe recipe, const RecipeSize& wished);
// One line, for --help and sheets.
std::string summary_of(Recipe recipe, const RecipeSize& wished = {});

// The data that the recipe needs of each sample.
Wants wants_of(Recipe recipe);

// The changes made to one sample.
struct Treatment {
  bool turned = false;
  float degrees = 0;
  bool cut = false;
  Rectangle region = {};
  bool mirrored = false;
  bool changed() const { return turned || cut || mirrored; }
};
// As text: "rotated 23.4 degrees", "not rotated", "312 x 280 at 14, 20; mirrored", ...
std::string describe(Recipe recipe, const Treatment& treatment, const RecipeSize& wished = {});

// True if the recipe applies operators that are drawn for each sample, one after the other.
bool draws_operators(Recipe recipe);
// The operators that a sample took, from its path (see Inspection::path): "rotate, shear_x". Empty
// if it took none.
std::string operators_in(const std::string& path);

// The inputs of a recipe; those that it does not need are empty.
struct RecipeInputs {
  Value<Bytes> file;
  Value<std::int64_t> label = {};
  Value<Tensor> boxes = {}, labels = {};
  Value<Bytes> mask = {};
};
// The outputs of a recipe. Images are in host memory, even if the device processed them.
struct RecipeOutputs {
  Value<Image> image;  // views are combined side by side
  Value<Treatment> treatment = {};
  Value<Tensor> boxes = {}, labels = {};  // for recipes with boxes
  Value<Image> mask = {};                 // for recipes with a mask
  std::vector<Value<Image>> views = {};
};
RecipeOutputs apply(Graph& g, Recipe recipe, const RecipeInputs& given,
                    const RecipeSize& wished = {}, bool on_device = false);

// The outputs of its pipeline: the image, its views, and the boxes and labels, the mask or the
// label.
std::vector<detail::SlotId> outputs_of(const RecipeOutputs& made, const RecipeInputs& given);

}  // namespace sluice::app
