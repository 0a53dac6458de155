// The augmentations that RandAugment, TrivialAugmentWide, AutoAugment and AugMix draw from: lists
// to be given to apply_random and apply_policy, as they are or changed.
//
// What an augmentation does with the magnitude, in torchvision's ranges and NVIDIA DALI's:
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
// AutoAugment has torchvision's ranges of RandAugment, and `invert` for `identity`. What else DALI
// has there, and what AugMix has:
//
// | name                    | AutoAugment, DALI        | AugMix                           |
// |-------------------------|--------------------------|----------------------------------|
// | shear_x, shear_y        | slope 0 to 0.3           | 0 to 0.3                         |
// | translate_x, _y         | 0 to the whole side      | 0 to a third of it               |
// | rotate                  | 0 to 30 degrees          | 0 to 30                          |
// | brightness, color,      | 0.1 to 1.9, no sign      | 1 +- 0 to 0.9                    |
// |   contrast, sharpness   |                          |                                  |
// | posterize               | 0 to 4 bits are kept     | 4 to 0                           |
// | solarize                | threshold 0 to 256       | 255 to 0                         |
// | without parameter       | auto_contrast, equalize, | auto_contrast, equalize          |
// |                         |   invert                 |                                  |
//
// Where no bit would be kept, one is. A shear leaves the upper left corner where it is; a rotation
// keeps the size. What comes in from outside is 0 (torchvision) or 128 (DALI), unless `fill` says
// otherwise. torchvision moves by whole pixels: so does translate with Interpolation::nearest.
//
// Called while a pipeline is described. Errors: BuildError for names in `excluded` that the list
// does not have.
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
  // Of shears, translations and rotations: nearest, bilinear or bicubic; none: as the ranges'
  // library does, nearest in torchvision, bilinear in DALI.
  std::optional<Interpolation> interpolation = {};
  std::optional<Fill> fill = {};
  std::vector<std::string> excluded = {};
};
std::vector<Augmentation<Image>> rand_augment_list(const AugmentationListOptions& options = {});
std::vector<Augmentation<Image>> trivial_augment_list(const AugmentationListOptions& options = {});
std::vector<Augmentation<Image>> auto_augment_list(const AugmentationListOptions& options = {});

struct AugMixListOptions {
  Interpolation interpolation = Interpolation::bilinear;
  Fill fill = 0;
  // torchvision's all_ops=False is "brightness", "color", "contrast" and "sharpness".
  std::vector<std::string> excluded = {};
};
std::vector<Augmentation<Image>> aug_mix_list(const AugMixListOptions& options = {});

}  // namespace sluice
