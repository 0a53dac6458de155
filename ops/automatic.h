// Automatic augmentation: published policies, each made of other operators.
//
// Ownership: an operator is created once and lives until the program ends. Threads: several threads
// may call these functions at once, each on its own graph. Errors: BuildError for invalid
// arguments; a failure in one sample is the error of that sample.
#pragma once

#include <sluice/graph/apply_random.h>
#include <sluice/graph/graph.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/kernels/option_types.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice {

// Lists of augmentations that RandAugment, TrivialAugmentWide, AutoAugment and AugMix draw from.
// Pass them to apply_random and apply_policy, unchanged or edited.
//
// Use of the magnitude, with the ranges of torchvision and of NVIDIA DALI:
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
// AutoAugment uses torchvision's ranges of RandAugment, with `invert` in place of `identity`. The
// ranges of DALI's AutoAugment and of AugMix:
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
// If no bit would be kept, one is. A shear keeps the upper left corner in place; a rotation keeps
// the size. Pixels from outside the image are 0 (torchvision) or 128 (DALI), unless `fill` is set.
// With torchvision's ranges, and in aug_mix, translations are cut to whole pixels.
//
// Call these while describing a pipeline. Errors: BuildError for names in `excluded` that are not
// in the list.
enum class AugmentationRanges : std::uint8_t { torchvision, dali };

struct AugmentationListOptions {
  AugmentationRanges ranges = AugmentationRanges::torchvision;
  // For shears, translations and rotations: nearest, bilinear or bicubic. By default the library's
  // own choice: nearest for torchvision's ranges, bilinear for DALI's.
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

// aug_mix: mixes an image with several copies of itself, each changed by a short chain of randomly
// drawn operators.
//
//   image = aug_mix(g, image);
//   image = aug_mix(g, image, {.severity = 5, .chain_depth = 2});
//
// As in torchvision: m * image + (1 - m) * (w[0] * chain 0 + w[1] * chain 1 + ...), where m is
// drawn from Beta(alpha, alpha) and w from a Dirichlet distribution of alpha. Each chain draws its
// length, 1 to 3 unless chain_depth is set. Each step draws an operator of the list uniformly, a
// magnitude of 0 to severity - 1 (of 10), and a sign. The sum is rounded once, to nearest;
// torchvision truncates, so its result may be lower by 1.
//
// For an image on a device, the chains run there. The sum and the result are on the host.
//
// It is built from a nested loop, one select per step, and weighted_sum. All random numbers depend
// on the seed, the epoch and the sample only.
//
// Hendrycks et al., "AugMix: a simple data processing method to improve robustness and
// uncertainty", 2019. Call it while describing a pipeline. Errors: BuildError for numbers out of
// range.
struct AugMixOptions {
  int severity = 3;       // 1 to 10
  int mixture_width = 3;  // number of chains, at least 1
  int chain_depth = 0;    // steps of each chain; 0 draws 1 to 3
  float alpha = 1.f;      // 0.000001 to 1000
  std::vector<Augmentation<Image>> augmentations = aug_mix_list();
};
Value<Image> aug_mix(Graph& g, Value<Image> image, const AugMixOptions& options = {});

namespace detail {
// Produces the weights of the image itself and of the chains; they sum to 1.
const OperatorPtr& aug_mix_weights_operator();
}  // namespace detail

// auto_augment: applies one of 25 learned pairs of operators to each image.
//
//   image = auto_augment(g, image);                              // the policy found for ImageNet
//   image = auto_augment(g, image, AutoAugmentPolicy::svhn, {.ranges = AugmentationRanges::dali});
//   image = auto_augment(g, image, AugmentationPolicy{.sub_policies = {...}});    // your own
//
// It is apply_policy over auto_augment_list(). Each sample draws one sub-policy and runs its steps,
// each with the probability and magnitude of the policy. The three policies are torchvision's; DALI
// calls them reduced_image_net, reduced_cifar10 and svhn. They have 10 magnitudes with
// torchvision's ranges and 11 with DALI's. To change a policy, edit the one that
// auto_augment_policy returns.
//
// Cubuk et al., "AutoAugment: learning augmentation strategies from data", 2018. Call it while
// describing a pipeline. Errors: BuildError, see apply_policy.
enum class AutoAugmentPolicy : std::uint8_t { imagenet, cifar10, svhn };

AugmentationPolicy auto_augment_policy(AutoAugmentPolicy which,
                                       AugmentationRanges ranges = AugmentationRanges::torchvision);

Value<Image> auto_augment(Graph& g, Value<Image> image,
                          AutoAugmentPolicy policy = AutoAugmentPolicy::imagenet,
                          const AugmentationListOptions& options = {});
Value<Image> auto_augment(Graph& g, Value<Image> image, const AugmentationPolicy& policy,
                          const AugmentationListOptions& options = {});

// detection_augment: augments an image and its boxes as for training the SSD detector.
//
//   auto [image, boxes, labels] = detection_augment(g, jpeg, boxes, labels);
//
// With probability 0.5 the image is placed at a random position on a canvas of up to 4 times its
// width and height. Then a random region that shows enough of a box is cropped (random_bbox_crop),
// resized, flipped horizontally with probability 0.5, and its colors change (photometric_distort).
// Boxes follow the image and are clipped to the region. A box is dropped if its center lies outside
// the region or less than a pixel of it remains. The labels are those of the remaining boxes.
//
// The canvas is never made: its visible part is cut from the image. Without a canvas, only the
// region is decoded. Colors change last, because fewer pixels remain then; the canvas changes its
// color with the image.
//
// Liu et al., "SSD: single shot multibox detector", 2016. Boxes are edges in pixels, f32, n x 4
// (see move_boxes), in the image as decoded; labels are a tensor with one row per box. Call it
// while describing a pipeline. Errors: BuildError for numbers out of range.
struct DetectionOptions {
  int height = 300, width = 300;  // of the result, at least 1
  float zoom_probability = 0.5f;
  float max_zoom = 4.f;         // at least 1
  Fill fill = {124, 116, 104};  // the canvas color: ImageNet's mean
  float mirror_probability = 0.5f;
  float color_probability = 0.5f;  // of each of the four changes
  JpegOptions jpeg = {};
};
struct DetectionSample {
  Value<Image> image;
  Value<Tensor> boxes, labels;
};
DetectionSample detection_augment(Graph& g, Value<Bytes> jpeg, Value<Tensor> boxes,
                                  Value<Tensor> labels, const DetectionOptions& options = {});

// dino: produces the views of an image that DINO is trained with, from one decode.
//
//   auto [global, local] = dino(g, jpeg);     // 2 and 8 images
//
// Global views show 0.4 to 1 of the image's area, local ones 0.05 to 0.4. Each is a random region,
// resized by a bicubic filter and flipped horizontally with probability 0.5. With probability 0.8
// its brightness and contrast change by up to 0.4, its saturation by up to 0.2 and its hue by up to
// 36 degrees. With probability 0.2 it becomes gray. Then:
//
// | view             | blurred, sigma 0.1 to 2 | solarized, threshold 128 |
// |------------------|-------------------------|--------------------------|
// | the first global | always                  | never                    |
// | the second       | with probability 0.1    | with probability 0.2     |
// | local            | with probability 0.5    | never                    |
//
// The bounding rectangle of all regions is decoded once, and each view is cropped from it, with the
// same pixels as if decoded alone. The views draw their random numbers independently.
//
// Colors change by color_twist, which rotates the hue in YIQ. torchvision's ColorJitter rotates it
// in HSV and applies the changes in a random order per image.
//
// Caron et al., "Emerging properties in self-supervised vision transformers", 2021.
// Call it while describing a pipeline. Errors: BuildError for numbers out of range.
struct DinoOptions {
  int global_size = 224;  // width and height, at least 1
  int local_size = 96;
  int locals = 8;                // number of local views, 0 to 64
  float min_global_area = 0.4f;  // of the image, above 0 up to 1
  float min_local_area = 0.05f;  // above 0
  float max_local_area = 0.4f;   // above min_local_area
  JpegOptions jpeg = {};
};
struct DinoViews {
  std::vector<Value<Image>> global;  // 2
  std::vector<Value<Image>> local;
};
DinoViews dino(Graph& g, Value<Bytes> jpeg, const DinoOptions& options = {});

// photometric_distort: randomly changes brightness, contrast, saturation and hue, as for training
// the SSD detector.
//
// Each of the four changes independently with this probability: brightness by a factor of 0.875 to
// 1.125, contrast and saturation by a factor of 0.5 to 1.5, hue by up to 18 degrees. The ranges are
// those of torchvision's RandomPhotometricDistort. All four are one color_twist, in its fixed
// order, and channels are not permuted.
//
// Call it while describing a pipeline. Errors: BuildError for a probability out of range.
Value<Image> photometric_distort(Graph& g, Value<Image> image, float probability = 0.5f);

// color_jitter: changes brightness, contrast, saturation and hue by random amounts in random order.
//
//   image = color_jitter(g, image, {.brightness = {0.6f, 1.4f}, .hue = {-18.f, 18.f}});
//
// Works like torchvision's ColorJitter, but the hue is in degrees: torchvision's 0.1 is 36. The
// steps are brightness_contrast (its brightness), contrast, saturation and hue. All orders of the
// given steps are equally likely, and values are clipped after each step. A step whose range is its
// neutral value, 1 for a factor and 0 for the hue, is left out.
//
// Call it while describing a pipeline. Errors: BuildError for a range whose ends are in the wrong
// order, for factors below 0, and for numbers that are not finite.
struct ColorJitterOptions {
  std::array<float, 2> brightness = {1, 1}, contrast = {1, 1}, saturation = {1, 1};  // factors
  std::array<float, 2> hue = {0, 0};                                                 // degrees
};
Value<Image> color_jitter(Graph& g, Value<Image> image, const ColorJitterOptions& options);

// rand_augment and trivial_augment_wide: apply randomly drawn operators to each image.
//
//   image = rand_augment(g, image);              // 2 of 14, magnitude 9 of 0 to 30
//   image = trivial_augment_wide(g, image);      // 1 of 14, of any magnitude
//
// Both are apply_random over a list of augmentations; each sample runs only the operators that it
// draws. You can edit the lists, see rand_augment_list(): remove entries, add operators of your
// own, and call apply_random yourself.
//
// Cubuk et al., "RandAugment", 2019; Mueller and Hutter, "TrivialAugment", 2021. Call them while
// describing a pipeline. Errors: BuildError for numbers out of range, and for names in `excluded`
// that are not in the list.
Value<Image> rand_augment(Graph& g, Value<Image> image, const ApplyRandomOptions& random = {},
                          const AugmentationListOptions& options = {});
// The magnitude is drawn per sample, uniformly from 0 to bins - 1.
Value<Image> trivial_augment_wide(Graph& g, Value<Image> image, int bins = 31,
                                  const AugmentationListOptions& options = {});

// segmentation_augment: augments an image and its mask as for training semantic segmentation.
//
//   auto [image, mask] = segmentation_augment(g, jpeg, decode_image(mask_file, {.ids = true}));
//
// Both are scaled by 0.5 to 2, padded if too small, cropped to a random window, and flipped
// horizontally with probability 0.5. The image's colors change (photometric_distort). Pixel values
// of masks are ids, so mask pixels are copied and never blended. Padding of the mask gets the id
// that losses ignore.
//
// Only the part of the image that the window shows is decoded and resized. The mask has one channel
// and the size of the image. A smaller mask may fail its sample; a larger one is not detected.
//
// Call it while describing a pipeline. Errors: BuildError for numbers out of range.
struct SegmentationOptions {
  int height = 512, width = 512;            // of the result, at least 1
  float min_scale = 0.5f, max_scale = 2.f;  // above 0
  Fill fill = {124, 116, 104};              // padding of the image: ImageNet's mean
  int ignored = 255;                        // padding of the mask: 0 to 255
  float mirror_probability = 0.5f;
  float color_probability = 0.5f;  // of each of the four changes
  JpegOptions jpeg = {};
};
struct SegmentationSample {
  Value<Image> image, mask;
};
SegmentationSample segmentation_augment(Graph& g, Value<Bytes> jpeg, Value<Image> mask,
                                        const SegmentationOptions& options = {});

// sim_clr: produces two views of an image for contrastive learning, from one decode.
//
//   auto [first, second] = sim_clr(g, jpeg);
//
// Each view is a random region of the image, resized and flipped horizontally with probability 0.5.
// With probability 0.8 its brightness, contrast, saturation and hue change; with probability 0.2 it
// becomes gray; with probability 0.5 it is blurred. The bounding rectangle of both regions is
// decoded once, and each view is cropped from it, with the same pixels as if decoded alone. The two
// views draw their random numbers independently.
//
// Colors change by color_twist, which rotates the hue in YIQ. torchvision's ColorJitter rotates it
// in HSV and applies the changes in a random order per image.
//
// Chen et al., "A simple framework for contrastive learning of visual representations", 2020.
// Call it while describing a pipeline. Errors: BuildError for numbers out of range.
struct SimClrOptions {
  int height = 224;
  int width = 224;
  float min_area = 0.08f;      // of the image
  float color_strength = 1.f;  // 0 to 1: colors change by up to 0.8 of it, hues by 72 degrees
  float color_probability = 0.8f;
  float gray_probability = 0.2f;
  float blur_probability = 0.5f;
  JpegOptions jpeg = {};
};
std::pair<Value<Image>, Value<Image>> sim_clr(Graph& g, Value<Bytes> jpeg,
                                              const SimClrOptions& options = {});

// The bounding rectangle of two regions, and the position of each in it.
struct JoinedRegions {
  Value<Rectangle> around, first, second;
};
JoinedRegions join_regions(Value<Rectangle> first, Value<Rectangle> second);

namespace detail {
const OperatorPtr& join_regions_operator();
}  // namespace detail

}  // namespace sluice
