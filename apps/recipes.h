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
//
// Those before simclr draw as torchvision does, rotate excepted. augmix and simclr run on the CPU,
// also with a device; of augmix what is as in train runs there.
//
// Called while a pipeline is described. Errors: BuildError.
#pragma once

#include <sluice/sluice.h>

#include <string>
#include <utility>
#include <vector>

namespace sluice::app {

enum class Recipe { rotate, train, eval, randaugment, trivialaugment, autoaugment, augmix, simclr };
const std::vector<Recipe>& recipes();
const char* name_of(Recipe recipe);
// One line, for --help and for sheets.
const char* summary_of(Recipe recipe);

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

// The picture is in the host's memory, also where all that is done to it is done on the device.
std::pair<Value<Image>, Value<Treatment>> apply(Graph& g, Recipe recipe, Value<Bytes> jpeg,
                                                bool on_device = false);

}  // namespace sluice::app
