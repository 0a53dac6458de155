// rand_augment and trivial_augment_wide: pictures changed by operators that are drawn for each.
//
//   image = rand_augment(g, image);              // 2 of 14, magnitude 9 of 0 to 30
//   image = trivial_augment_wide(g, image);      // 1 of 14, of any magnitude
//
// Both are apply_random over a list of augmentations; each sample runs only those that it has
// drawn. The lists are there to be changed: take away, add operators of your own, and call
// apply_random yourself.
//
// What an augmentation does with the magnitude, torchvision's ranges and NVIDIA DALI's:
//
// | name                    | RandAugment, torchvision | DALI         | wide, both      | sign   |
// |-------------------------|--------------------------|--------------|-----------------|--------|
// | shear_x, shear_y        | slope 0 to 0.3           | 0 to 0.3     | 0 to 0.99       | random |
// | translate_x, _y         | 0 to 150/331 of a side   | 0 to 100/224 | 0 to 32 pixels  | random |
// | rotate                  | 0 to 30 degrees          | 0 to 30      | 0 to 135        | random |
// | brightness, color,      | 1 +- 0 to 0.9            | 0 to 0.9     | 0 to 0.99 (DALI | random |
// |   contrast, sharpness   |                          |              |   from 0.01)    |        |
// | posterize               | 8 to 4 bits are kept     | 8 to 4       | 8 to 2          |        |
// | solarize                | threshold 255 to 0       | 256 to 0     | 255 to 0 (256)  |        |
// | auto_contrast, equalize,|                          |              |                 |        |
// |   identity              | no parameter             | as there     | as there        |        |
//
// A shear leaves the upper left corner where it is; a rotation keeps the size. What comes in from
// outside is 0 (torchvision) or 128 (DALI), unless `fill` says otherwise. torchvision moves by
// whole pixels: so does translate with Interpolation::nearest.
//
// Cubuk et al., "RandAugment", 2019; Mueller and Hutter, "TrivialAugment", 2021. Called while a
// pipeline is described. Errors: BuildError for numbers out of range, and for names in `excluded`
// that the list does not have.
#pragma once

#include <sluice/graph/apply_random.h>
#include <sluice/ops/kernels/fill.h>
#include <sluice/ops/kernels/interpolation.h>
#include <sluice/runtime/image.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice {

enum class AugmentationRanges : std::uint8_t { torchvision, dali };

struct AugmentationListOptions {
  AugmentationRanges ranges = AugmentationRanges::torchvision;
  // Of shears, translations and rotations: nearest or bilinear; none: as the ranges' library does,
  // nearest in torchvision, bilinear in DALI.
  std::optional<Interpolation> interpolation = {};
  std::optional<Fill> fill = {};
  std::vector<std::string> excluded = {};
};
std::vector<Augmentation<Image>> rand_augment_list(const AugmentationListOptions& options = {});
std::vector<Augmentation<Image>> trivial_augment_list(const AugmentationListOptions& options = {});

Value<Image> rand_augment(Graph& g, Value<Image> image, const ApplyRandomOptions& random = {},
                          const AugmentationListOptions& options = {});
// The magnitude is drawn for each sample, uniformly of 0 to bins - 1.
Value<Image> trivial_augment_wide(Graph& g, Value<Image> image, int bins = 31,
                                  const AugmentationListOptions& options = {});

}  // namespace sluice
