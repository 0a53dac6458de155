#include <sluice/graph/arithmetic.h>
#include <sluice/ops/automatic/rand_augment.h>
#include <sluice/ops/colour/autocontrast.h>
#include <sluice/ops/colour/brightness_contrast.h>
#include <sluice/ops/colour/contrast.h>
#include <sluice/ops/colour/equalize.h>
#include <sluice/ops/colour/posterize.h>
#include <sluice/ops/colour/saturation.h>
#include <sluice/ops/colour/solarize.h>
#include <sluice/ops/filter/sharpness.h>
#include <sluice/ops/geometry/rotate.h>
#include <sluice/ops/geometry/shear.h>
#include <sluice/ops/geometry/translate.h>
#include <sluice/runtime/error.h>

#include <algorithm>

namespace sluice {
namespace {

using Picture = Value<Image>;
using Magnitude = Value<float>;
using Augmentations = std::vector<Augmentation<Image>>;

// Where the two differ, and RandAugment and the wide list.
struct Ranges {
  float shear;
  float translate;
  bool translate_relative;
  float rotate;
  float colour_low, colour_high;
  float bits_lost;
  float solarize_high;
};

Ranges ranges_of(AugmentationRanges ranges, bool wide) {
  const bool dali = ranges == AugmentationRanges::dali;
  const float solarize = dali ? 256.f : 255.f;
  if (wide) return {0.99f, 32.f, false, 135.f, dali ? 0.01f : 0.f, 0.99f, 6.f, solarize};
  return {0.3f, dali ? 100.f / 224 : 150.f / 331, true, 30.f, 0.f, 0.9f, 4.f, solarize};
}

Augmentations list_of(const AugmentationListOptions& options, bool wide) {
  const Ranges r = ranges_of(options.ranges, wide);
  const bool dali = options.ranges == AugmentationRanges::dali;
  const Interpolation way =
      options.interpolation.value_or(dali ? Interpolation::bilinear : Interpolation::nearest);
  const Fill fill = options.fill.value_or(dali ? Fill(128) : Fill(0));
  const bool relative = r.translate_relative;
  Augmentations all = {
      {"identity", [](Picture image, Magnitude) { return image; }},
      {"shear_x",
       [=](Picture image, Magnitude m) {
         return shear(image, {.x = m, .interpolation = way, .fill = fill});
       },
       0.f, r.shear, true},
      {"shear_y",
       [=](Picture image, Magnitude m) {
         return shear(image, {.y = m, .interpolation = way, .fill = fill});
       },
       0.f, r.shear, true},
      {"translate_x",
       [=](Picture image, Magnitude m) {
         return translate(image,
                          {.x = m, .relative = relative, .interpolation = way, .fill = fill});
       },
       0.f, r.translate, true},
      {"translate_y",
       [=](Picture image, Magnitude m) {
         return translate(image,
                          {.y = m, .relative = relative, .interpolation = way, .fill = fill});
       },
       0.f, r.translate, true},
      {"rotate",
       [=](Picture image, Magnitude m) {
         return rotate(image, m, {.keep_size = true, .fill = fill, .interpolation = way});
       },
       0.f, r.rotate, true},
      {"brightness",
       [](Picture image, Magnitude m) {
         return brightness_contrast(image, {.brightness = m + 1.f});
       },
       r.colour_low, r.colour_high, true},
      {"color", [](Picture image, Magnitude m) { return saturation(image, m + 1.f); }, r.colour_low,
       r.colour_high, true},
      {"contrast", [](Picture image, Magnitude m) { return contrast(image, m + 1.f); },
       r.colour_low, r.colour_high, true},
      {"sharpness", [](Picture image, Magnitude m) { return sharpness(image, m + 1.f); },
       r.colour_low, r.colour_high, true},
      {"posterize",
       [](Picture image, Magnitude m) {
         return posterize(image, 8 - cast<std::int32_t>(m + 0.5f));
       },
       0.f, r.bits_lost},
      {"solarize", [](Picture image, Magnitude m) { return solarize(image, m); }, r.solarize_high,
       0.f},
      {"auto_contrast", [](Picture image, Magnitude) { return autocontrast(image); }},
      {"equalize", [](Picture image, Magnitude) { return equalize(image); }},
  };
  std::string names;
  for (const auto& augmentation : all)
    names += (names.empty() ? "'" : ", '") + augmentation.name + "'";
  for (const std::string& name : options.excluded) {
    const auto none = [&](const Augmentation<Image>& one) { return one.name == name; };
    if (std::erase_if(all, none) == 0)
      throw BuildError("there is no augmentation '" + name + "' to be excluded; there are " +
                       names);
  }
  return all;
}

}  // namespace

Augmentations rand_augment_list(const AugmentationListOptions& options) {
  return list_of(options, false);
}
Augmentations trivial_augment_list(const AugmentationListOptions& options) {
  return list_of(options, true);
}

Value<Image> rand_augment(Graph& g, Value<Image> image, const ApplyRandomOptions& random,
                          const AugmentationListOptions& options) {
  return apply_random(g, image, rand_augment_list(options), random);
}

Value<Image> trivial_augment_wide(Graph& g, Value<Image> image, int bins,
                                  const AugmentationListOptions& options) {
  if (bins < 1)
    throw BuildError("trivial_augment_wide: bins is at least 1, not " + std::to_string(bins));
  const auto magnitude = cast<std::int32_t>(g.uniform(0.f, static_cast<float>(bins)));
  return apply_random(g, image, trivial_augment_list(options),
                      {.n = 1, .magnitude = magnitude, .bins = bins});
}

}  // namespace sluice
