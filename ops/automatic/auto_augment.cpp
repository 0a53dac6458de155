#include <sluice/ops/automatic.h>

#include <span>

namespace sluice {
namespace {

struct Step {
  const char* augmentation;
  float probability;
  int magnitude;
};
struct Pair {
  Step first, second;
};

// torchvision's policies, from the tables of the paper. A step of probability 0 never runs.
constexpr Pair kImagenet[] = {
    {{"posterize", 0.4f, 8}, {"rotate", 0.6f, 9}},
    {{"solarize", 0.6f, 5}, {"auto_contrast", 0.6f, 0}},
    {{"equalize", 0.8f, 0}, {"equalize", 0.6f, 0}},
    {{"posterize", 0.6f, 7}, {"posterize", 0.6f, 6}},
    {{"equalize", 0.4f, 0}, {"solarize", 0.2f, 4}},
    {{"equalize", 0.4f, 0}, {"rotate", 0.8f, 8}},
    {{"solarize", 0.6f, 3}, {"equalize", 0.6f, 0}},
    {{"posterize", 0.8f, 5}, {"equalize", 1.0f, 0}},
    {{"rotate", 0.2f, 3}, {"solarize", 0.6f, 8}},
    {{"equalize", 0.6f, 0}, {"posterize", 0.4f, 6}},
    {{"rotate", 0.8f, 8}, {"color", 0.4f, 0}},
    {{"rotate", 0.4f, 9}, {"equalize", 0.6f, 0}},
    {{"equalize", 0.0f, 0}, {"equalize", 0.8f, 0}},
    {{"invert", 0.6f, 0}, {"equalize", 1.0f, 0}},
    {{"color", 0.6f, 4}, {"contrast", 1.0f, 8}},
    {{"rotate", 0.8f, 8}, {"color", 1.0f, 2}},
    {{"color", 0.8f, 8}, {"solarize", 0.8f, 7}},
    {{"sharpness", 0.4f, 7}, {"invert", 0.6f, 0}},
    {{"shear_x", 0.6f, 5}, {"equalize", 1.0f, 0}},
    {{"color", 0.4f, 0}, {"equalize", 0.6f, 0}},
    {{"equalize", 0.4f, 0}, {"solarize", 0.2f, 4}},
    {{"solarize", 0.6f, 5}, {"auto_contrast", 0.6f, 0}},
    {{"invert", 0.6f, 0}, {"equalize", 1.0f, 0}},
    {{"color", 0.6f, 4}, {"contrast", 1.0f, 8}},
    {{"equalize", 0.8f, 0}, {"equalize", 0.6f, 0}},
};

constexpr Pair kCifar10[] = {
    {{"invert", 0.1f, 0}, {"contrast", 0.2f, 6}},
    {{"rotate", 0.7f, 2}, {"translate_x", 0.3f, 9}},
    {{"sharpness", 0.8f, 1}, {"sharpness", 0.9f, 3}},
    {{"shear_y", 0.5f, 8}, {"translate_y", 0.7f, 9}},
    {{"auto_contrast", 0.5f, 0}, {"equalize", 0.9f, 0}},
    {{"shear_y", 0.2f, 7}, {"posterize", 0.3f, 7}},
    {{"color", 0.4f, 3}, {"brightness", 0.6f, 7}},
    {{"sharpness", 0.3f, 9}, {"brightness", 0.7f, 9}},
    {{"equalize", 0.6f, 0}, {"equalize", 0.5f, 0}},
    {{"contrast", 0.6f, 7}, {"sharpness", 0.6f, 5}},
    {{"color", 0.7f, 7}, {"translate_x", 0.5f, 8}},
    {{"equalize", 0.3f, 0}, {"auto_contrast", 0.4f, 0}},
    {{"translate_y", 0.4f, 3}, {"sharpness", 0.2f, 6}},
    {{"brightness", 0.9f, 6}, {"color", 0.2f, 8}},
    {{"solarize", 0.5f, 2}, {"invert", 0.0f, 0}},
    {{"equalize", 0.2f, 0}, {"auto_contrast", 0.6f, 0}},
    {{"equalize", 0.2f, 0}, {"equalize", 0.6f, 0}},
    {{"color", 0.9f, 9}, {"equalize", 0.6f, 0}},
    {{"auto_contrast", 0.8f, 0}, {"solarize", 0.2f, 8}},
    {{"brightness", 0.1f, 3}, {"color", 0.7f, 0}},
    {{"solarize", 0.4f, 5}, {"auto_contrast", 0.9f, 0}},
    {{"translate_y", 0.9f, 9}, {"translate_y", 0.7f, 9}},
    {{"auto_contrast", 0.9f, 0}, {"solarize", 0.8f, 3}},
    {{"equalize", 0.8f, 0}, {"invert", 0.1f, 0}},
    {{"translate_y", 0.7f, 9}, {"auto_contrast", 0.9f, 0}},
};

constexpr Pair kSvhn[] = {
    {{"shear_x", 0.9f, 4}, {"invert", 0.2f, 0}},
    {{"shear_y", 0.9f, 8}, {"invert", 0.7f, 0}},
    {{"equalize", 0.6f, 0}, {"solarize", 0.6f, 6}},
    {{"invert", 0.9f, 0}, {"equalize", 0.6f, 0}},
    {{"equalize", 0.6f, 0}, {"rotate", 0.9f, 3}},
    {{"shear_x", 0.9f, 4}, {"auto_contrast", 0.8f, 0}},
    {{"shear_y", 0.9f, 8}, {"invert", 0.4f, 0}},
    {{"shear_y", 0.9f, 5}, {"solarize", 0.2f, 6}},
    {{"invert", 0.9f, 0}, {"auto_contrast", 0.8f, 0}},
    {{"equalize", 0.6f, 0}, {"rotate", 0.9f, 3}},
    {{"shear_x", 0.9f, 4}, {"solarize", 0.3f, 3}},
    {{"shear_y", 0.8f, 8}, {"invert", 0.7f, 0}},
    {{"equalize", 0.9f, 0}, {"translate_y", 0.6f, 6}},
    {{"invert", 0.9f, 0}, {"equalize", 0.6f, 0}},
    {{"contrast", 0.3f, 3}, {"rotate", 0.8f, 4}},
    {{"invert", 0.8f, 0}, {"translate_y", 0.0f, 2}},
    {{"shear_y", 0.7f, 6}, {"solarize", 0.4f, 8}},
    {{"invert", 0.6f, 0}, {"rotate", 0.8f, 4}},
    {{"shear_y", 0.3f, 7}, {"translate_x", 0.9f, 3}},
    {{"shear_x", 0.1f, 6}, {"invert", 0.6f, 0}},
    {{"solarize", 0.7f, 2}, {"translate_y", 0.6f, 7}},
    {{"shear_y", 0.8f, 4}, {"invert", 0.8f, 0}},
    {{"shear_x", 0.7f, 9}, {"translate_y", 0.8f, 3}},
    {{"shear_y", 0.8f, 5}, {"auto_contrast", 0.7f, 0}},
    {{"shear_x", 0.7f, 2}, {"invert", 0.1f, 0}},
};

std::span<const Pair> pairs_of(AutoAugmentPolicy which) {
  switch (which) {
    case AutoAugmentPolicy::imagenet:
      return kImagenet;
    case AutoAugmentPolicy::cifar10:
      return kCifar10;
    case AutoAugmentPolicy::svhn:
      return kSvhn;
  }
  return {};
}

AugmentationStep step_of(const Step& step) {
  return {step.augmentation, step.probability, step.magnitude};
}

}  // namespace

AugmentationPolicy auto_augment_policy(AutoAugmentPolicy which, AugmentationRanges ranges) {
  AugmentationPolicy policy;
  policy.bins = ranges == AugmentationRanges::dali ? 11 : 10;
  for (const Pair& pair : pairs_of(which))
    policy.sub_policies.push_back({step_of(pair.first), step_of(pair.second)});
  return policy;
}

Value<Image> auto_augment(Graph& g, Value<Image> image, AutoAugmentPolicy policy,
                          const AugmentationListOptions& options) {
  return auto_augment(g, image, auto_augment_policy(policy, options.ranges), options);
}

Value<Image> auto_augment(Graph& g, Value<Image> image, const AugmentationPolicy& policy,
                          const AugmentationListOptions& options) {
  return apply_policy(g, image, auto_augment_list(options), policy);
}

}  // namespace sluice
