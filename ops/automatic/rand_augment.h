// rand_augment and trivial_augment_wide: pictures changed by operators that are drawn for each.
//
//   image = rand_augment(g, image);              // 2 of 14, magnitude 9 of 0 to 30
//   image = trivial_augment_wide(g, image);      // 1 of 14, of any magnitude
//
// Both are apply_random over a list of augmentations; each sample runs only those that it has
// drawn. The lists are there to be changed, see augmentation_lists.h: take away, add operators of
// your own, and call apply_random yourself.
//
// Cubuk et al., "RandAugment", 2019; Mueller and Hutter, "TrivialAugment", 2021. Called while a
// pipeline is described. Errors: BuildError for numbers out of range, and for names in `excluded`
// that the list does not have.
#pragma once

#include <sluice/graph/apply_random.h>
#include <sluice/ops/automatic/augmentation_lists.h>
#include <sluice/runtime/image.h>

namespace sluice {

Value<Image> rand_augment(Graph& g, Value<Image> image, const ApplyRandomOptions& random = {},
                          const AugmentationListOptions& options = {});
// The magnitude is drawn for each sample, uniformly of 0 to bins - 1.
Value<Image> trivial_augment_wide(Graph& g, Value<Image> image, int bins = 31,
                                  const AugmentationListOptions& options = {});

}  // namespace sluice
