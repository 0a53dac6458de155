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
// Those before simclr draw as torchvision does, rotate excepted. augmix and those after it run on
// the CPU, also with a device; of augmix what is as in train runs there.
//
// Called while a pipeline is described. Errors: BuildError.
#pragma once

#include "dataset.h"
#include <sluice/sluice.h>

#include <cstdint>
#include <string>
#include <vector>

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
// One line, for --help and for sheets.
const char* summary_of(Recipe recipe);

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
std::string describe(Recipe recipe, const Treatment& treatment);

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
Made apply(Graph& g, Recipe recipe, const Given& given, bool on_device = false);

// What a pipeline of it delivers: the picture or the views, and what belongs to it, or the label.
std::vector<detail::SlotId> outputs_of(const Made& made, const Given& given);

}  // namespace sluice::app
