// Binds functions of the library that record several operators: automatic augmentation, views,
// regions.
#include "description.h"
#include "values.h"
#include <sluice/graph/apply_random.h>
#include <sluice/ops/automatic.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/option_types.h>
#include <sluice/ops/occlusion.h>
#include <sluice/ops/random.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace sluice::python {
namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<int>;

template <class E, std::size_t N>
E chosen(const char* parameter, const std::string& name, const std::array<E, N>& choices,
         const char* (*name_of_choice)(E)) {
  std::string names;
  for (const E choice : choices) {
    if (name == name_of_choice(choice)) return choice;
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", name_of_choice(choice));
  }
  throw BuildError(fmt::format("{} must be one of {}, not '{}'", parameter, names, name));
}

std::optional<Interpolation> interpolation_of(const std::optional<std::string>& name) {
  if (!name) return std::nullopt;
  constexpr std::array all{Interpolation::nearest, Interpolation::box,     Interpolation::bilinear,
                           Interpolation::hamming, Interpolation::bicubic, Interpolation::lanczos};
  return chosen<Interpolation>("interpolation", *name, all, name_of);
}

Border border_of(const std::string& name) {
  return chosen<Border>("border", name, std::array{Border::constant, Border::edge, Border::reflect},
                        name_of);
}

Fill fill_of(const Numbers& levels) {
  if (levels.size() == 1) return Fill(levels[0]);
  if (levels.size() == 3) return Fill{levels[0], levels[1], levels[2]};
  if (levels.size() == 4) return Fill{levels[0], levels[1], levels[2], levels[3]};
  throw BuildError(fmt::format("fill: 1, 3 or 4 numbers are expected, not {}", levels.size()));
}

const char* name_of_ranges(AugmentationRanges ranges) {
  return ranges == AugmentationRanges::dali ? "dali" : "torchvision";
}
const char* name_of_policy(AutoAugmentPolicy policy) {
  switch (policy) {
    case AutoAugmentPolicy::cifar10:
      return "cifar10";
    case AutoAugmentPolicy::svhn:
      return "svhn";
    default:
      return "imagenet";
  }
}

AugmentationListOptions list_options(const std::string& ranges,
                                     const std::optional<std::string>& interpolation,
                                     const std::optional<Numbers>& fill, const Names& excluded) {
  AugmentationListOptions options;
  options.ranges = chosen<AugmentationRanges>(
      "ranges", ranges, std::array{AugmentationRanges::torchvision, AugmentationRanges::dali},
      name_of_ranges);
  options.interpolation = interpolation_of(interpolation);
  if (fill) options.fill = fill_of(*fill);
  options.excluded = excluded;
  return options;
}

std::vector<Augmentation<Image>> aug_mix_list_of(const std::optional<std::string>& interpolation,
                                                 const std::optional<Numbers>& fill,
                                                 const Names& excluded) {
  AugMixListOptions list;
  if (const auto how = interpolation_of(interpolation)) list.interpolation = *how;
  if (fill) list.fill = fill_of(*fill);
  list.excluded = excluded;
  return aug_mix_list(list);
}

// A list of augmentations: its name and options.
struct AugmentationList {
  std::string name, ranges;
  std::optional<std::string> interpolation;
  std::optional<Numbers> fill;
  Names excluded;

  std::vector<Augmentation<Image>> augmentations() const {
    if (name == "aug_mix_list") return aug_mix_list_of(interpolation, fill, excluded);
    const AugmentationListOptions options = list_options(ranges, interpolation, fill, excluded);
    if (name == "trivial_augment_list") return trivial_augment_list(options);
    return name == "auto_augment_list" ? auto_augment_list(options) : rand_augment_list(options);
  }
};

// Returns (name, low, high, randomly_negate) for each.
nb::list items_of(const AugmentationList& list) {
  nb::list all;
  for (const Augmentation<Image>& one : list.augmentations())
    all.append(nb::make_tuple(one.name, one.low, one.high, one.randomly_negate));
  return all;
}

// Records one augmentation of a list.
SlotId augmented(Description& self, const AugmentationList& list, std::size_t i, SlotId image,
                 SlotId parameter) {
  return list.augmentations()
      .at(i)
      .apply(self.value<Image>(image, "an augmentation"),
             self.value<float>(parameter, "an augmentation: its parameter"))
      .slot();
}

AutoAugmentPolicy policy_of(const std::string& name) {
  return chosen<AutoAugmentPolicy>(
      "policy", name,
      std::array{AutoAugmentPolicy::imagenet, AutoAugmentPolicy::cifar10, AutoAugmentPolicy::svhn},
      name_of_policy);
}

// Returns the sub-policies, each a list of (name, probability, magnitude), and the bins.
nb::tuple auto_augment_policy_of(const std::string& name, const std::string& ranges) {
  const AugmentationPolicy policy =
      auto_augment_policy(policy_of(name), list_options(ranges, {}, {}, {}).ranges);
  nb::list all;
  for (const SubPolicy& steps : policy.sub_policies) {
    nb::list one;
    for (const AugmentationStep& step : steps)
      one.append(nb::make_tuple(step.augmentation, step.probability, step.magnitude));
    all.append(one);
  }
  return nb::make_tuple(all, policy.bins);
}

SlotId rand_augment_of(Description& self, SlotId image, int n, int magnitude,
                       std::optional<SlotId> magnitude_of, int bins, const std::string& ranges,
                       const std::optional<std::string>& interpolation,
                       const std::optional<Numbers>& fill, const Names& excluded) {
  const auto source = self.value<Image>(image, "rand_augment");
  ApplyRandomOptions random{.n = n, .magnitude = magnitude, .bins = bins};
  if (magnitude_of)
    random.magnitude = self.value<std::int32_t>(*magnitude_of, "rand_augment: magnitude");
  return rand_augment(self.graph, source, random,
                      list_options(ranges, interpolation, fill, excluded))
      .slot();
}

SlotId trivial_augment_of(Description& self, SlotId image, int bins, const std::string& ranges,
                          const std::optional<std::string>& interpolation,
                          const std::optional<Numbers>& fill, const Names& excluded) {
  return trivial_augment_wide(self.graph, self.value<Image>(image, "trivial_augment_wide"), bins,
                              list_options(ranges, interpolation, fill, excluded))
      .slot();
}

SlotId auto_augment_of(Description& self, SlotId image, const std::string& policy,
                       const std::string& ranges, const std::optional<std::string>& interpolation,
                       const std::optional<Numbers>& fill, const Names& excluded) {
  return auto_augment(self.graph, self.value<Image>(image, "auto_augment"), policy_of(policy),
                      list_options(ranges, interpolation, fill, excluded))
      .slot();
}

SlotId aug_mix_of(Description& self, SlotId image, int severity, int width, int depth, float alpha,
                  const std::optional<std::string>& interpolation,
                  const std::optional<Numbers>& fill, const Names& excluded) {
  return aug_mix(self.graph, self.value<Image>(image, "aug_mix"),
                 {.severity = severity,
                  .mixture_width = width,
                  .chain_depth = depth,
                  .alpha = alpha,
                  .augmentations = aug_mix_list_of(interpolation, fill, excluded)})
      .slot();
}

Slots sim_clr_of(Description& self, SlotId jpeg, int height, int width, float min_area,
                 float strength, float color, float gray, float blur) {
  const auto [first, second] = sim_clr(self.graph, self.value<Bytes>(jpeg, "sim_clr"),
                                       {.height = height,
                                        .width = width,
                                        .min_area = min_area,
                                        .color_strength = strength,
                                        .color_probability = color,
                                        .gray_probability = gray,
                                        .blur_probability = blur});
  return {first.slot(), second.slot()};
}

std::pair<Slots, Slots> dino_of(Description& self, SlotId jpeg, int global_size, int local_size,
                                int locals, float min_global_area, float min_local_area,
                                float max_local_area) {
  const DinoViews views = dino(self.graph, self.value<Bytes>(jpeg, "dino"),
                               {.global_size = global_size,
                                .local_size = local_size,
                                .locals = locals,
                                .min_global_area = min_global_area,
                                .min_local_area = min_local_area,
                                .max_local_area = max_local_area});
  std::pair<Slots, Slots> slots;
  for (const auto& view : views.global) slots.first.push_back(view.slot());
  for (const auto& view : views.local) slots.second.push_back(view.slot());
  return slots;
}

Slots detection_of(Description& self, SlotId jpeg, SlotId boxes, SlotId labels, int height,
                   int width, float zoom, float max_zoom, const Numbers& fill, float mirror,
                   float color) {
  const DetectionSample sample =
      detection_augment(self.graph, self.value<Bytes>(jpeg, "detection_augment"),
                        self.value<Tensor>(boxes, "detection_augment: boxes"),
                        self.value<Tensor>(labels, "detection_augment: labels"),
                        {.height = height,
                         .width = width,
                         .zoom_probability = zoom,
                         .max_zoom = max_zoom,
                         .fill = fill_of(fill),
                         .mirror_probability = mirror,
                         .color_probability = color});
  return {sample.image.slot(), sample.boxes.slot(), sample.labels.slot()};
}

Slots segmentation_of(Description& self, SlotId jpeg, SlotId mask, int height, int width,
                      float min_scale, float max_scale, const Numbers& fill, int ignored,
                      float mirror, float color) {
  const SegmentationSample sample =
      segmentation_augment(self.graph, self.value<Bytes>(jpeg, "segmentation_augment"),
                           self.value<Image>(mask, "segmentation_augment: mask"),
                           {.height = height,
                            .width = width,
                            .min_scale = min_scale,
                            .max_scale = max_scale,
                            .fill = fill_of(fill),
                            .ignored = ignored,
                            .mirror_probability = mirror,
                            .color_probability = color});
  return {sample.image.slot(), sample.mask.slot()};
}

// If `image` is a file, decodes only the region.
SlotId random_resized_crop_of(Description& self, SlotId image, int height, int width,
                              float min_area, float max_area, float min_ratio, float max_ratio,
                              const std::string& interpolation, bool antialias, bool shrink) {
  const RandomResizedCropOptions options{.height = height,
                                         .width = width,
                                         .min_area = min_area,
                                         .max_area = max_area,
                                         .min_ratio = min_ratio,
                                         .max_ratio = max_ratio,
                                         .interpolation = *interpolation_of(interpolation),
                                         .antialias = antialias,
                                         .shrink = shrink};
  if (self.is<Bytes>(image)) {
    return random_resized_crop(self.value<Bytes>(image, "random_resized_crop"), options).slot();
  }
  return random_resized_crop(self.value<Image>(image, "random_resized_crop"), options).slot();
}

SlotId random_erasing_of(Description& self, SlotId image, float probability, float min_area,
                         float max_area, float min_ratio, float max_ratio,
                         const std::optional<Numbers>& fill, std::optional<SlotId> fills,
                         float noise) {
  RandomErasingOptions options{.probability = probability,
                               .min_area = min_area,
                               .max_area = max_area,
                               .min_ratio = min_ratio,
                               .max_ratio = max_ratio};
  if (fill) options.fill = fill_of(*fill);
  if (fills) options.fill = self.value<Tensor>(*fills, "random_erasing: fill");
  options.noise = noise;
  return random_erasing(self.value<Image>(image, "random_erasing"), options).slot();
}

SlotId random_crop_of(Description& self, SlotId image, int height, int width,
                      const std::array<int, 4>& margins, bool pad_if_needed,
                      const std::string& border, const Numbers& fill) {
  return random_crop(self.value<Image>(image, "random_crop"), {.height = height,
                                                               .width = width,
                                                               .top = margins[0],
                                                               .left = margins[1],
                                                               .bottom = margins[2],
                                                               .right = margins[3],
                                                               .pad_if_needed = pad_if_needed,
                                                               .border = border_of(border),
                                                               .fill = fill_of(fill)})
      .slot();
}

using Range = std::array<float, 2>;
SlotId color_jitter_of(Description& self, SlotId image, const Range& brightness,
                       const Range& contrast, const Range& saturation, const Range& hue) {
  return color_jitter(
             self.graph, self.value<Image>(image, "color_jitter"),
             {.brightness = brightness, .contrast = contrast, .saturation = saturation, .hue = hue})
      .slot();
}

}  // namespace

void bind_functions(nb::class_<Description>& description) {
  nb::class_<AugmentationList>(description, "AugmentationList")
      .def(nb::init<std::string, std::string, std::optional<std::string>, std::optional<Numbers>,
                    Names>())
      .def("items", items_of);
  description.def_static("auto_augment_policy", auto_augment_policy_of)
      .def("augmented", augmented)
      .def("rand_augment", rand_augment_of)
      .def("trivial_augment_wide", trivial_augment_of)
      .def("auto_augment", auto_augment_of)
      .def("aug_mix", aug_mix_of)
      .def("sim_clr", sim_clr_of)
      .def("dino", dino_of)
      .def("detection_augment", detection_of)
      .def("segmentation_augment", segmentation_of)
      .def("photometric_distort",
           [](Description& self, SlotId image, float probability) {
             return photometric_distort(self.graph, self.value<Image>(image, "photometric_distort"),
                                        probability)
                 .slot();
           })
      .def("color_jitter", color_jitter_of)
      .def("random_crop", random_crop_of)
      .def("random_resized_crop", random_resized_crop_of)
      .def("random_erasing", random_erasing_of);
}

}  // namespace sluice::python
