#include "recipes.h"

#include <cstring>

#include <fmt/format.h>

namespace sluice::app {
namespace {

using Result = std::pair<Value<Image>, Value<Treatment>>;

// `file` is the same as `jpeg`, or that on the device.
Result rotate_some(Graph& g, Value<Bytes> file) {
  auto image = decode_jpeg(file);
  auto angle = g.uniform(10.f, 30.f);
  auto coin = g.coin_flip(0.25f);
  auto turned = g.if_else(
      coin, [&] { return rotate(image, angle, {.fill = 0}); }, [&] { return image; });
  auto treatment = g.map(
      "note",
      [](bool is_turned, float degrees) {
        return Treatment{.turned = is_turned, .degrees = degrees};
      },
      coin, angle);
  return {resize(turned, {.width = 400, .height = 400}), treatment};
}

Result train(Graph& g, Value<Bytes> jpeg, Value<Bytes> file) {
  auto region = random_region(jpeg, {});
  auto mirror = g.coin_flip(0.5f);
  auto small = resize(decode_jpeg(file, region), {.width = 224, .height = 224});
  auto treatment = g.map(
      "note",
      [](const Rectangle& part, bool is_mirrored) {
        return Treatment{.cut = true, .region = part, .mirrored = is_mirrored};
      },
      region, mirror);
  return {flip(small, {.horizontal = mirror}), treatment};
}

Result eval(Graph& g, Value<Bytes> file) {
  auto image =
      center_crop(resize(decode_jpeg(file), {.shorter = 256}), {.width = 224, .height = 224});
  return {image, g.constant(Treatment{.cut = true})};
}

Value<Image> augment(Graph& g, Recipe recipe, Value<Image> image) {
  if (recipe == Recipe::trivialaugment) return trivial_augment_wide(g, image);
  if (recipe == Recipe::autoaugment) return auto_augment(g, image);
  if (recipe == Recipe::augmix) return aug_mix(g, image);
  return rand_augment(g, image);
}

Result augmented(Graph& g, Recipe recipe, Value<Bytes> jpeg, Value<Bytes> file, bool on_device) {
  const auto [picture, treatment] = train(g, jpeg, file);
  // Pictures are not mixed on devices.
  const bool comes_back = on_device && recipe == Recipe::augmix;
  return {augment(g, recipe, comes_back ? picture.cpu() : picture), treatment};
}

// On the CPU.
Result two_views(Graph& g, Value<Bytes> jpeg) {
  const auto views = sim_clr(g, jpeg);
  const auto both = g.map_into<Image>(
      "side_by_side",
      [](const Image& left, const Image& right, Image& out) {
        out.create(left.height(), left.width() + right.width(), left.channels());
        for (int y = 0; y < left.height(); ++y) {
          std::memcpy(out.row(y), left.row(y), left.row_bytes());
          std::memcpy(out.row(y) + left.row_bytes(), right.row(y), right.row_bytes());
        }
      },
      views.first, views.second);
  return {both, g.constant(Treatment{.cut = true})};
}

}  // namespace

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all = {
      Recipe::rotate,         Recipe::train,       Recipe::eval,   Recipe::randaugment,
      Recipe::trivialaugment, Recipe::autoaugment, Recipe::augmix, Recipe::simclr};
  return all;
}

const char* name_of(Recipe recipe) {
  switch (recipe) {
    case Recipe::rotate:
      return "rotate";
    case Recipe::train:
      return "train";
    case Recipe::eval:
      return "eval";
    case Recipe::randaugment:
      return "randaugment";
    case Recipe::trivialaugment:
      return "trivialaugment";
    case Recipe::autoaugment:
      return "autoaugment";
    case Recipe::augmix:
      return "augmix";
    case Recipe::simclr:
      return "simclr";
  }
  return "";
}

const char* summary_of(Recipe recipe) {
  switch (recipe) {
    case Recipe::rotate:
      return "one picture in four turned by 10 to 30 degrees, all resized to 400 x 400";
    case Recipe::train:
      return "a random region resized to 224 x 224, half of them mirrored";
    case Recipe::eval:
      return "shorter side resized to 256, the 224 x 224 pixels in the middle";
    case Recipe::randaugment:
      return "as train, then two of the 14 operators of RandAugment";
    case Recipe::trivialaugment:
      return "as train, then one of the 14 operators of TrivialAugmentWide";
    case Recipe::autoaugment:
      return "as train, then one of the 25 pairs of operators of AutoAugment for ImageNet";
    case Recipe::augmix:
      return "as train, then mixed with 3 chains of 1 to 3 of the 13 operators of AugMix";
    case Recipe::simclr:
      return "two views of one decode, as SimCLR is trained with, side by side";
  }
  return "";
}

std::string describe(Recipe recipe, const Treatment& treatment) {
  switch (recipe) {
    case Recipe::rotate:
      return treatment.turned
                 ? fmt::format("rotated {:.1f} degrees", static_cast<double>(treatment.degrees))
                 : "not rotated";
    case Recipe::train:
    case Recipe::randaugment:
    case Recipe::trivialaugment:
    case Recipe::autoaugment:
    case Recipe::augmix: {
      const Rectangle& w = treatment.region;
      return fmt::format("{} x {} at {}, {}{}", w.width, w.height, w.x, w.y,
                         treatment.mirrored ? "; mirrored" : "");
    }
    case Recipe::eval:
      return "224 x 224 pixels from the middle";
    case Recipe::simclr:
      return "two views";
  }
  return {};
}

std::pair<Value<Image>, Value<Treatment>> apply(Graph& g, Recipe recipe, Value<Bytes> jpeg,
                                                bool on_device) {
  const Value<Bytes> file = on_device ? jpeg.gpu() : jpeg;
  const auto result = [&]() -> Result {
    switch (recipe) {
      case Recipe::rotate:
        return rotate_some(g, file);
      case Recipe::train:
        return train(g, jpeg, file);
      case Recipe::eval:
        return eval(g, file);
      case Recipe::randaugment:
      case Recipe::trivialaugment:
      case Recipe::autoaugment:
      case Recipe::augmix:
        return augmented(g, recipe, jpeg, file, on_device);
      case Recipe::simclr:
        return two_views(g, jpeg);
    }
    return {};
  }();
  return {on_device ? result.first.cpu() : result.first, result.second};
}

}  // namespace sluice::app
