// Automatic augmentation: published policies, each made of other operators.
//
// Ownership: an operator is made once and lives as long as the program. Threads: any number may
// call these functions at once, each for a graph of its own. Errors: BuildError for arguments that
// cannot be; what fails for one sample is the error of that sample.
#pragma once

#include <sluice/graph/apply_random.h>
#include <sluice/graph/graph.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/kernels/border.h>
#include <sluice/ops/kernels/interpolation.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice {

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

// aug_mix: a picture mixed with several of itself, each changed by a short chain of operators that
// are drawn for it.
//
//   image = aug_mix(g, image);
//   image = aug_mix(g, image, {.severity = 5, .chain_depth = 2});
//
// As torchvision does it: m * image + (1 - m) * (w[0] * chain 0 + w[1] * chain 1 + ...), where m is
// drawn from Beta(alpha, alpha) and w from a Dirichlet distribution of alpha. Each chain draws its
// length, 1 to 3 unless chain_depth says it; each of its steps an operator of the list, uniformly,
// a magnitude of 0 to severity - 1 (of 10), and a sign. The sum is rounded once, to nearest
// (torchvision cuts off, so it may be lower by 1).
//
// Of a picture on a device the chains run there; the sum is made on the host, where the result is.
//
// It is a loop in a loop, with one select for what a step does, and weighted_sum. All numbers
// follow from the seed, the epoch and the sample.
//
// Hendrycks et al., "AugMix: a simple data processing method to improve robustness and
// uncertainty", 2019. Called while a pipeline is described. Errors: BuildError for numbers out of
// range.
struct AugMixOptions {
  int severity = 3;       // 1 to 10
  int mixture_width = 3;  // chains, at least 1
  int chain_depth = 0;    // steps of each chain; 0: 1 to 3, drawn
  float alpha = 1.f;      // 0.000001 to 1000
  std::vector<Augmentation<Image>> augmentations = aug_mix_list();
};
Value<Image> aug_mix(Graph& g, Value<Image> image, const AugMixOptions& options = {});

namespace detail {
// The weights of the picture itself and of the chains, which add up to 1.
const OperatorPtr& aug_mix_weights_operator();
}  // namespace detail

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
enum class AutoAugmentPolicy : std::uint8_t { imagenet, cifar10, svhn };

AugmentationPolicy auto_augment_policy(AutoAugmentPolicy which,
                                       AugmentationRanges ranges = AugmentationRanges::torchvision);

Value<Image> auto_augment(Graph& g, Value<Image> image,
                          AutoAugmentPolicy policy = AutoAugmentPolicy::imagenet,
                          const AugmentationListOptions& options = {});
Value<Image> auto_augment(Graph& g, Value<Image> image, const AugmentationPolicy& policy,
                          const AugmentationListOptions& options = {});

// detection_augment: a picture and its boxes as the detector SSD is trained with.
//
//   auto [image, boxes, labels] = detection_augment(g, jpeg, boxes, labels);
//
// With probability 0.5 the picture lies somewhere on a canvas of up to 4 times its width and
// height; of that a random region is taken that shows enough of a box (random_bbox_crop), resized,
// mirrored with probability 0.5, and its colours change (photometric_distort). Boxes move along,
// are cut to the region, and left out where their middle lies outside of it or less than a pixel of
// them is left; labels are those of the boxes that are left.
//
// The canvas is never made: what is seen of it is cut out of the picture, and where there is no
// canvas, the region alone is decoded. Colours come last, as that is fewer pixels; the canvas's
// change along with the picture's.
//
// Liu et al., "SSD: single shot multibox detector", 2016. Boxes are edges in pixels, f32, n x 4
// (see move_boxes), in the picture as it is seen; labels a tensor with a row for each. Called
// while a pipeline is described. Errors: BuildError for numbers out of range.
struct DetectionOptions {
  int width = 300, height = 300;  // of the result, at least 1
  float zoom_probability = 0.5f;
  float max_zoom = 4.f;         // at least 1
  Fill fill = {124, 116, 104};  // of the canvas: ImageNet's mean
  float mirror_probability = 0.5f;
  float colour_probability = 0.5f;  // of each of the four
  JpegOptions jpeg = {};
};
struct DetectionSample {
  Value<Image> image;
  Value<Tensor> boxes, labels;
};
DetectionSample detection_augment(Graph& g, Value<Bytes> jpeg, Value<Tensor> boxes,
                                  Value<Tensor> labels, const DetectionOptions& options = {});

// dino: the views of a picture that DINO is trained with, of one decode.
//
//   auto [global, local] = dino(g, jpeg);     // 2 and 8 pictures
//
// Global views show 0.4 to 1 of the picture's area, local ones 0.05 to 0.4; each is a random region
// resized by a bicubic filter, and mirrored with probability 0.5; with 0.8 its brightness and
// contrast change by up to 0.4, its saturation by up to 0.2 and its hue by up to 36 degrees; with
// 0.2 it is gray. Then
//
// | view             | blurred, sigma 0.1 to 2 | solarized, from 128 on |
// |------------------|-------------------------|------------------------|
// | the first global | always                  | never                  |
// | the second       | with probability 0.1    | with probability 0.2   |
// | local            | with probability 0.5    | never                  |
//
// The rectangle around all regions is decoded once, and each view is cut out of that: the same
// pixels as by itself. What the views draw has nothing to do with each other.
//
// Colours change by color_twist, whose hue is turned in YIQ; torchvision's ColorJitter turns it in
// HSV, in an order of its own for each picture.
//
// Caron et al., "Emerging properties in self-supervised vision transformers", 2021.
// Called while a pipeline is described. Errors: BuildError for numbers out of range.
struct DinoOptions {
  int global_size = 224;  // width and height, at least 1
  int local_size = 96;
  int locals = 8;                // how many local views, 0 to 64
  float min_global_area = 0.4f;  // of the picture, above 0 up to 1
  float max_local_area = 0.4f;   // above min_local_area
  float min_local_area = 0.05f;  // above 0
  JpegOptions jpeg = {};
};
struct DinoViews {
  std::vector<Value<Image>> global;  // 2
  std::vector<Value<Image>> local;
};
DinoViews dino(Graph& g, Value<Bytes> jpeg, const DinoOptions& options = {});

// photometric_distort: brightness, contrast, saturation and hue changed by chance, each on its own,
// as the detector SSD is trained with.
//
// Each changes with this probability: brightness by a factor of 0.875 to 1.125, contrast and
// saturation of 0.5 to 1.5, hue by up to 18 degrees. The numbers are those of torchvision's
// RandomPhotometricDistort; all four are one color_twist, in its order, and channels stay where
// they are.
//
// Called while a pipeline is described. Errors: BuildError for a probability out of range.
Value<Image> photometric_distort(Graph& g, Value<Image> image, float probability = 0.5f);

// rand_augment and trivial_augment_wide: pictures changed by operators that are drawn for each.
//
//   image = rand_augment(g, image);              // 2 of 14, magnitude 9 of 0 to 30
//   image = trivial_augment_wide(g, image);      // 1 of 14, of any magnitude
//
// Both are apply_random over a list of augmentations; each sample runs only those that it has
// drawn. The lists are there to be changed, see rand_augment_list(): take away, add operators of
// your own, and call apply_random yourself.
//
// Cubuk et al., "RandAugment", 2019; Mueller and Hutter, "TrivialAugment", 2021. Called while a
// pipeline is described. Errors: BuildError for numbers out of range, and for names in `excluded`
// that the list does not have.
Value<Image> rand_augment(Graph& g, Value<Image> image, const ApplyRandomOptions& random = {},
                          const AugmentationListOptions& options = {});
// The magnitude is drawn for each sample, uniformly of 0 to bins - 1.
Value<Image> trivial_augment_wide(Graph& g, Value<Image> image, int bins = 31,
                                  const AugmentationListOptions& options = {});

// segmentation_augment: a picture and its mask as networks for semantic segmentation are trained
// with.
//
//   auto [image, mask] = segmentation_augment(g, jpeg, decode_image(mask_file, {.ids = true}));
//
// Both are scaled by 0.5 to 2, padded where they are too small, cut to a random window, and
// mirrored with probability 0.5; the picture's colours change (photometric_distort). Levels of
// masks are ids: pixels are taken as they are, never mixed, and what lies outside gets the id that
// losses ignore.
//
// Only what the window shows is decoded and resized. The mask is a picture of one channel and as
// large as the picture: one that is smaller may be the error of its sample, one that is larger is
// not noticed.
//
// Called while a pipeline is described. Errors: BuildError for numbers out of range.
struct SegmentationOptions {
  int width = 512, height = 512;            // of the result, at least 1
  float min_scale = 0.5f, max_scale = 2.f;  // above 0
  Fill fill = {124, 116, 104};              // beyond the picture: ImageNet's mean
  int ignored = 255;                        // beyond the mask: 0 to 255
  float mirror_probability = 0.5f;
  float colour_probability = 0.5f;  // of each of the four
  JpegOptions jpeg = {};
};
struct SegmentationSample {
  Value<Image> image, mask;
};
SegmentationSample segmentation_augment(Graph& g, Value<Bytes> jpeg, Value<Image> mask,
                                        const SegmentationOptions& options = {});

// sim_clr: two views of a picture for contrastive learning, of one decode.
//
//   auto [first, second] = sim_clr(g, jpeg);
//
// Each view is a random region of the picture, resized; mirrored with probability 0.5; with 0.8 its
// brightness, contrast, saturation and hue are changed; with 0.2 it is gray; with 0.5 it is
// blurred. The rectangle around both regions is decoded once, and each view is cut out of that: the
// same pixels as by itself. What the two draw has nothing to do with each other.
//
// Colours change by color_twist, whose hue is turned in YIQ; torchvision's ColorJitter turns it in
// HSV, in an order of its own for each picture.
//
// Chen et al., "A simple framework for contrastive learning of visual representations", 2020.
// Called while a pipeline is described. Errors: BuildError for numbers out of range.
struct SimClrOptions {
  int width = 224;
  int height = 224;
  float min_area = 0.08f;       // of the picture
  float colour_strength = 1.f;  // 0 to 1: colours change by up to 0.8 of it, hues by 72 degrees
  float colour_probability = 0.8f;
  float gray_probability = 0.2f;
  float blur_probability = 0.5f;
  JpegOptions jpeg = {};
};
std::pair<Value<Image>, Value<Image>> sim_clr(Graph& g, Value<Bytes> jpeg,
                                              const SimClrOptions& options = {});

// The smallest rectangle around two, and where each lies in it.
struct JoinedRegions {
  Value<Rectangle> around, first, second;
};
JoinedRegions join_regions(Value<Rectangle> first, Value<Rectangle> second);

namespace detail {
const OperatorPtr& join_regions_operator();
}  // namespace detail

}  // namespace sluice
