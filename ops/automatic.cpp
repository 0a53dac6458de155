// The policies of automatic.h: the lists of augmentations, and what draws from them. The recipes of
// whole training pipelines are in automatic_recipes.cpp.
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/automatic.h>
#include <sluice/ops/color.h>
#include <sluice/ops/composition.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/draws.h>
#include <sluice/ops/kernels/mix.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>

#include <fmt/format.h>

namespace sluice {
namespace {

using ImageValue = Value<Image>;
using Magnitude = Value<float>;
using Augmentations = std::vector<Augmentation<Image>>;

// The settings in which the lists differ.
struct Ranges {
  float shear = 0.3f;
  float translate = 0.f;
  bool translate_relative = true;
  bool whole_pixels = true;  // translations are cut to whole pixels
  float rotate = 30.f;
  float color_low = 0.f, color_high = 0.9f;
  bool color_signed = true;
  float lost_low = 0.f, lost_high = 4.f;  // the number of bits that posterize drops
  float solarize_low = 255.f, solarize_high = 0.f;
};

constexpr Ranges kRand = {.translate = 150.f / 331};
constexpr Ranges kRandDali = {
    .translate = 100.f / 224, .whole_pixels = false, .solarize_low = 256.f};
constexpr Ranges kWide = {.shear = 0.99f,
                          .translate = 32.f,
                          .translate_relative = false,
                          .rotate = 135.f,
                          .color_high = 0.99f,
                          .lost_high = 6.f};
constexpr Ranges kWideDali = {.shear = 0.99f,
                              .translate = 32.f,
                              .translate_relative = false,
                              .whole_pixels = false,
                              .rotate = 135.f,
                              .color_low = 0.01f,
                              .color_high = 0.99f,
                              .lost_high = 6.f,
                              .solarize_low = 256.f};
constexpr Ranges kAutoDali = {.translate = 1.f,
                              .whole_pixels = false,
                              .color_low = -0.9f,
                              .color_signed = false,
                              .lost_low = 8.f,
                              .solarize_low = 0.f,
                              .solarize_high = 256.f};
constexpr Ranges kMix = {.translate = 1.f / 3, .lost_low = 4.f, .lost_high = 8.f};

// Returns the number of bits to keep, at least 1. Rounds halves to even numbers, as PyTorch does.
Value<std::int32_t> bits_kept(Magnitude lost) {
  const Value<std::int32_t> up = cast<std::int32_t>(lost + 0.5f);
  const Value<std::int32_t> half = cast<std::int32_t>(cast<float>(up) - lost == 0.5f);
  const Value<std::int32_t> bits = 8 - (up - half * (up % 2));
  return bits + cast<std::int32_t>(bits < 1);
}

// The augmentations that all lists have.
Augmentations list_of(const Ranges& r, Interpolation way, const Fill& fill) {
  const bool relative = r.translate_relative;
  const bool whole = r.whole_pixels;
  return {
      {"shear_x",
       [=](ImageValue image, Magnitude m) {
         return shear(image, {.x = m, .interpolation = way, .fill = fill});
       },
       0.f, r.shear, true},
      {"shear_y",
       [=](ImageValue image, Magnitude m) {
         return shear(image, {.y = m, .interpolation = way, .fill = fill});
       },
       0.f, r.shear, true},
      {"translate_x",
       [=](ImageValue image, Magnitude m) {
         return translate(image, {.x = m,
                                  .relative = relative,
                                  .whole_pixels = whole,
                                  .interpolation = way,
                                  .fill = fill});
       },
       0.f, r.translate, true},
      {"translate_y",
       [=](ImageValue image, Magnitude m) {
         return translate(image, {.y = m,
                                  .relative = relative,
                                  .whole_pixels = whole,
                                  .interpolation = way,
                                  .fill = fill});
       },
       0.f, r.translate, true},
      {"rotate",
       [=](ImageValue image, Magnitude m) {
         return rotate(image, m, {.keep_size = true, .fill = fill, .interpolation = way});
       },
       0.f, r.rotate, true},
      {"brightness",
       [](ImageValue image, Magnitude m) {
         return brightness_contrast(image, {.brightness = m + 1.f});
       },
       r.color_low, r.color_high, r.color_signed},
      {"color", [](ImageValue image, Magnitude m) { return saturation(image, m + 1.f); },
       r.color_low, r.color_high, r.color_signed},
      {"contrast", [](ImageValue image, Magnitude m) { return contrast(image, m + 1.f); },
       r.color_low, r.color_high, r.color_signed},
      {"sharpness", [](ImageValue image, Magnitude m) { return sharpness(image, m + 1.f); },
       r.color_low, r.color_high, r.color_signed},
      {"posterize", [](ImageValue image, Magnitude m) { return posterize(image, bits_kept(m)); },
       r.lost_low, r.lost_high},
      {"solarize", [](ImageValue image, Magnitude m) { return solarize(image, m); }, r.solarize_low,
       r.solarize_high},
      {"auto_contrast", [](ImageValue image, Magnitude) { return autocontrast(image); }},
      {"equalize", [](ImageValue image, Magnitude) { return equalize(image); }},
  };
}

Augmentations without(Augmentations all, const std::vector<std::string>& excluded) {
  std::string names;
  for (const auto& augmentation : all)
    names += (names.empty() ? "'" : ", '") + augmentation.name + "'";
  for (const std::string& name : excluded) {
    const auto none = [&](const Augmentation<Image>& one) { return one.name == name; };
    if (std::erase_if(all, none) == 0)
      throw BuildError("there is no augmentation '" + name + "' to exclude; there are " + names);
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
  all.insert(all.begin(), {"identity", [](ImageValue image, Magnitude) { return image; }});
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
  all.push_back({"invert", [](ImageValue image, Magnitude) { return invert(image); }});
  return without(std::move(all), options.excluded);
}

Augmentations aug_mix_list(const AugMixListOptions& options) {
  return without(list_of(kMix, options.interpolation, options.fill), options.excluded);
}

namespace {

constexpr int kMagnitudes = 10;
constexpr int kMostDrawn = 3;  // maximum length of a chain if it is drawn
constexpr int kLongest = 1000;
constexpr int kWidest = static_cast<int>(kernels::kMostImages) - 1;  // besides the image

void check(const AugMixOptions& options) {
  const auto require = [](bool good, const std::string& what) {
    if (!good) throw BuildError("aug_mix: " + what);
  };
  require(
      options.severity >= 1 && options.severity <= kMagnitudes,
      fmt::format("severity must lie between 1 and {}, but is {}", kMagnitudes, options.severity));
  require(options.mixture_width >= 1 && options.mixture_width <= kWidest,
          fmt::format("mixture_width must lie between 1 and {}, but is {}", kWidest,
                      options.mixture_width));
  require(options.chain_depth >= 0 && options.chain_depth <= kLongest,
          fmt::format("chain_depth must lie between 0 and {}, but is {}; 0 draws 1 to {}", kLongest,
                      options.chain_depth, kMostDrawn));
  require(!options.augmentations.empty(), "the list of operators is empty; give at least one");
}

// Draws a whole number of 0 to count - 1.
Value<std::int32_t> below(Graph& g, int count) {
  return cast<std::int32_t>(g.uniform(0.f, static_cast<float>(count)));
}

}  // namespace

const detail::OperatorPtr& detail::aug_mix_weights_operator() {
  static const OperatorPtr op =
      declare_operator("aug_mix_weights")
          .family("random")
          .summary("Draws the weights of aug_mix: of an image and of `width` chains.")
          .in_cpp("aug_mix(g, image, {.severity = 3})")
          .constant<std::int32_t>("width", {.low = 1, .high = kWidest, .help = "number of chains"})
          .parameter<float>("alpha",
                            {.value = 1.f,
                             .low = kernels::kSmallestAlpha,
                             .high = kernels::kLargestAlpha,
                             .help = "parameter of the Beta and the Dirichlet distribution"})
          .output<std::vector<float>>("weights")
          .runs([](Random& random, std::int32_t width, float alpha) {
            const double itself = kernels::beta(random, alpha, alpha);
            std::vector<double> chains(static_cast<std::size_t>(width));
            kernels::dirichlet(random, alpha, chains);
            std::vector<float> weights = {static_cast<float>(itself)};
            for (const double share : chains)
              weights.push_back(static_cast<float>((1 - itself) * share));
            return weights;
          });
  return op;
}

Value<Image> aug_mix(Graph& g, Value<Image> image, const AugMixOptions& options) {
  check(options);
  const auto weights = detail::apply_operator<std::vector<float>>(
      g.builder(), detail::aug_mix_weights_operator(), options.mixture_width, options.alpha);
  const auto chain = [&](Value<std::int64_t> steps) {
    return g.for_loop(steps, image,
                      [&](Value<std::int64_t>, Value<Image> changed) {
                        return apply_random(
                            g, changed, options.augmentations,
                            {.n = 1, .magnitude = below(g, options.severity), .bins = kMagnitudes});
                      },
                      {.name = "chain"});
  };
  // Chain 0 has no steps: it is the image itself. The collected list is on the host.
  const auto collected = g.for_loop_collect(
      options.mixture_width + 1, std::int64_t{0},
      [&](Value<std::int64_t> i, Value<std::int64_t> state) {
        const Value<std::int32_t> drawn = options.chain_depth > 0
                                              ? g.constant(std::int32_t{options.chain_depth})
                                              : below(g, kMostDrawn) + 1;
        return std::tuple{state, chain(cast<std::int64_t>(i > 0) * drawn).cpu()};
      },
      {.name = "aug_mix"});
  return weighted_sum(std::get<1>(collected), weights);
}

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
