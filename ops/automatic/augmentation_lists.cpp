#include <sluice/graph/arithmetic.h>
#include <sluice/ops/automatic.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/geometry.h>
#include <sluice/runtime/error.h>

#include <algorithm>

namespace sluice {
namespace {

using Picture = Value<Image>;
using Magnitude = Value<float>;
using Augmentations = std::vector<Augmentation<Image>>;

// The settings in which the lists differ.
struct Ranges {
  float shear = 0.3f;
  float translate = 0.f;
  bool translate_relative = true;
  float rotate = 30.f;
  float colour_low = 0.f, colour_high = 0.9f;
  bool colour_signed = true;
  float lost_low = 0.f, lost_high = 4.f;  // the number of bits that posterize drops
  float solarize_low = 255.f, solarize_high = 0.f;
};

constexpr Ranges kRand = {.translate = 150.f / 331};
constexpr Ranges kRandDali = {.translate = 100.f / 224, .solarize_low = 256.f};
constexpr Ranges kWide = {.shear = 0.99f,
                          .translate = 32.f,
                          .translate_relative = false,
                          .rotate = 135.f,
                          .colour_high = 0.99f,
                          .lost_high = 6.f};
constexpr Ranges kWideDali = {.shear = 0.99f,
                              .translate = 32.f,
                              .translate_relative = false,
                              .rotate = 135.f,
                              .colour_low = 0.01f,
                              .colour_high = 0.99f,
                              .lost_high = 6.f,
                              .solarize_low = 256.f};
constexpr Ranges kAutoDali = {.translate = 1.f,
                              .colour_low = -0.9f,
                              .colour_signed = false,
                              .lost_low = 8.f,
                              .solarize_low = 0.f,
                              .solarize_high = 256.f};
constexpr Ranges kMix = {.translate = 1.f / 3, .lost_low = 4.f, .lost_high = 8.f};

Value<std::int32_t> bits_kept(Magnitude lost) {
  const Value<std::int32_t> bits = 8 - cast<std::int32_t>(lost + 0.5f);
  return bits + cast<std::int32_t>(bits < 1);
}

// The augmentations that all lists have.
Augmentations list_of(const Ranges& r, Interpolation way, const Fill& fill) {
  const bool relative = r.translate_relative;
  return {
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
       r.colour_low, r.colour_high, r.colour_signed},
      {"color", [](Picture image, Magnitude m) { return saturation(image, m + 1.f); }, r.colour_low,
       r.colour_high, r.colour_signed},
      {"contrast", [](Picture image, Magnitude m) { return contrast(image, m + 1.f); },
       r.colour_low, r.colour_high, r.colour_signed},
      {"sharpness", [](Picture image, Magnitude m) { return sharpness(image, m + 1.f); },
       r.colour_low, r.colour_high, r.colour_signed},
      {"posterize", [](Picture image, Magnitude m) { return posterize(image, bits_kept(m)); },
       r.lost_low, r.lost_high},
      {"solarize", [](Picture image, Magnitude m) { return solarize(image, m); }, r.solarize_low,
       r.solarize_high},
      {"auto_contrast", [](Picture image, Magnitude) { return autocontrast(image); }},
      {"equalize", [](Picture image, Magnitude) { return equalize(image); }},
  };
}

Augmentations without(Augmentations all, const std::vector<std::string>& excluded) {
  std::string names;
  for (const auto& augmentation : all)
    names += (names.empty() ? "'" : ", '") + augmentation.name + "'";
  for (const std::string& name : excluded) {
    const auto none = [&](const Augmentation<Image>& one) { return one.name == name; };
    if (std::erase_if(all, none) == 0)
      throw BuildError("there is no augmentation '" + name + "' to be excluded; there are " +
                       names);
  }
  return all;
}

// Takes DALI's ranges or torchvision's.
Augmentations list_of(const AugmentationListOptions& options, const Ranges& torchvision,
                      const Ranges& dali) {
  const bool is_dali = options.ranges == AugmentationRanges::dali;
  return list_of(
      is_dali ? dali : torchvision,
      options.interpolation.value_or(is_dali ? Interpolation::bilinear : Interpolation::nearest),
      options.fill.value_or(is_dali ? Fill(128) : Fill(0)));
}
Augmentations with_identity(Augmentations all) {
  all.insert(all.begin(), {"identity", [](Picture image, Magnitude) { return image; }});
  return all;
}

}  // namespace

Augmentations rand_augment_list(const AugmentationListOptions& options) {
  return without(with_identity(list_of(options, kRand, kRandDali)), options.excluded);
}

Augmentations trivial_augment_list(const AugmentationListOptions& options) {
  return without(with_identity(list_of(options, kWide, kWideDali)), options.excluded);
}

Augmentations auto_augment_list(const AugmentationListOptions& options) {
  Augmentations all = list_of(options, kRand, kAutoDali);
  all.push_back({"invert", [](Picture image, Magnitude) { return invert(image); }});
  return without(std::move(all), options.excluded);
}

Augmentations aug_mix_list(const AugMixListOptions& options) {
  return without(list_of(kMix, options.interpolation, options.fill), options.excluded);
}

}  // namespace sluice
