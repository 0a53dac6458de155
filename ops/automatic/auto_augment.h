// auto_augment: pictures changed by one of 25 pairs of operators that were found to help.
//
//   image = auto_augment(g, image);                              // the policy found for ImageNet
//   image = auto_augment(g, image, AutoAugmentPolicy::svhn, {.ranges = AugmentationRanges::dali});
//   image = auto_augment(g, image, AugmentationPolicy{.sub_policies = {...}});    // one of your
//   own
//
// It is apply_policy over auto_augment_list(); each sample draws one sub-policy and runs its steps,
// each with the probability and the magnitude that the policy says. The three policies are those of
// torchvision; DALI calls them reduced_image_net, reduced_cifar10 and svhn. They have 10 magnitudes
// with torchvision's ranges and 11 with DALI's. To change one, take what auto_augment_policy gives.
//
// Cubuk et al., "AutoAugment: learning augmentation strategies from data", 2018. Called while a
// pipeline is described. Errors: BuildError, see apply_policy.
#pragma once

#include <sluice/graph/apply_policy.h>
#include <sluice/ops/automatic/augmentation_lists.h>
#include <sluice/runtime/image.h>

#include <cstdint>

namespace sluice {

enum class AutoAugmentPolicy : std::uint8_t { imagenet, cifar10, svhn };

AugmentationPolicy auto_augment_policy(AutoAugmentPolicy which,
                                       AugmentationRanges ranges = AugmentationRanges::torchvision);

Value<Image> auto_augment(Graph& g, Value<Image> image,
                          AutoAugmentPolicy policy = AutoAugmentPolicy::imagenet,
                          const AugmentationListOptions& options = {});
Value<Image> auto_augment(Graph& g, Value<Image> image, const AugmentationPolicy& policy,
                          const AugmentationListOptions& options = {});

}  // namespace sluice
