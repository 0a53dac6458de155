// The pipelines that the program knows, as functions from a file's bytes to a picture and a note of
// what was done.
//
//   rotate          a quarter of the pictures is turned by 10 to 30 degrees; all are resized to
//                   400 x 400
//   train           a random region, resized to 224 x 224, half of them mirrored: what a classifier
//                   is trained with
//   eval            the shorter side resized to 256, then the 224 x 224 pixels in the middle: what
//                   it is tested with
//   randaugment     as train, then 2 of the 14 operators of RandAugment, magnitude 9 of 0 to 30
//   trivialaugment  as train, then 1 of them, of any magnitude (TrivialAugmentWide)
//   autoaugment     as train, then one of the 25 pairs of operators found for ImageNet
//   augmix          as train, then mixed with 3 pictures made of it by 1 to 3 operators each
//   simclr          two views of one decode, side by side: random regions resized to 224 x 224,
//                   mirrored, with other colours, gray or blurred by chance
//   dino            2 global views of 224 x 224 and 8 local ones of 96 x 96 of one decode, on one
//                   picture
//   detection       a random region of 300 x 300 with its boxes, as SSD is trained with
//   segmentation    a random window of 512 x 512 of the picture and its mask, scaled by 0.5 to 2
//
// A size that is wished for stands in the place of these: see size_of(). Those before simclr draw
// as torchvision does, rotate excepted. With a device all of them decode and change their pictures
// there; numbers such as boxes stay on the host, and so does what augmix does last, the sum of its
// pictures.
//
// Called while a pipeline is described. Errors: BuildError; UsageError for a size.
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
// The names, and imagenet, which is train.
const std::vector<std::string>& recipe_names();
// Nothing where no recipe has the name.
std::optional<Recipe> recipe_of(const std::string& name);

// Of what a recipe makes, in pixels.
struct RecipeSize {
  static constexpr int kMost = 16384;  // of a side
  int width = 0, height = 0;           // 0: the recipe's own
  friend bool operator==(const RecipeSize&, const RecipeSize&) = default;
};
// The recipe's own without `wished`. Of eval what is cut out; the shorter side before is 8/7 of the
// longer one. Of simclr each view. Throws UsageError for a wish where the recipe makes pictures of
// two sizes: it has 0 x 0.
RecipeSize size_of(Recipe recipe, const RecipeSize& wished = {});

// The name, and the size where it is not the recipe's own: what has another one makes other
// results.
std::string name_of(Recipe recipe, const RecipeSize& wished);
// One line, for --help and for sheets.
std::string summary_of(Recipe recipe, const RecipeSize& wished = {});

// What it needs of each sample.
Wants wants_of(Recipe recipe);

// What was done to one sample.
struct Treatment {
  bool turned = false;
  float degrees = 0;
  bool cut = false;
  Rectangle region = {};
  bool mirrored = false;
  bool changed() const { return turned || cut || mirrored; }
};
// In words: "rotated 23.4 degrees", "not rotated", "312 x 280 at 14, 20; mirrored", ...
std::string describe(Recipe recipe, const Treatment& treatment, const RecipeSize& wished = {});

// What a recipe is given; without what it does not want.
struct Given {
  Value<Bytes> file;
  Value<std::int64_t> label = {};
  Value<Tensor> boxes = {}, labels = {};
  Value<Bytes> mask = {};
};
// What it makes. Pictures are in the host's memory, also where all that is done to them is done on
// the device.
struct Made {
  Value<Image> picture;  // views are side by side
  Value<Treatment> treatment = {};
  Value<Tensor> boxes = {}, labels = {};  // of recipes that want boxes
  Value<Image> mask = {};                 // and of those that want a mask
  std::vector<Value<Image>> views = {};
};
Made apply(Graph& g, Recipe recipe, const Given& given, const RecipeSize& wished = {},
           bool on_device = false);

// What a pipeline of it delivers: the picture, its views, and what belongs to it, or the label.
std::vector<detail::SlotId> outputs_of(const Made& made, const Given& given);

}  // namespace sluice::app
