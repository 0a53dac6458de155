#include "recipes.h"

#include <cstring>
#include <optional>
#include <utility>

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

// A canvas of this size with the views, each at its place; what lies between them is white.
using Corner = std::pair<int, int>;  // row, column
Value<Image> side_by_side(Graph& g, int height, int width, const std::vector<Corner>& corners,
                          const std::vector<Value<Image>>& views) {
  Value<Image> canvas = g.map_into<Image>(
      "canvas",
      [height, width](const Image&, Image& out) {
        out.create(height, width, 3);
        std::memset(out.data(), 255, out.row_bytes() * static_cast<std::size_t>(height));
      },
      views.front());
  for (std::size_t i = 0; i < views.size(); ++i)
    canvas = paste(canvas, views[i], {.y = corners[i].first, .x = corners[i].second});
  return canvas;
}

// On the CPU.
Made two_views(Graph& g, Value<Bytes> jpeg) {
  const auto views = sim_clr(g, jpeg);
  Made made;
  made.views = {views.first, views.second};
  made.picture = side_by_side(g, 224, 448, {{0, 0}, {0, 224}}, made.views);
  return made;
}

// The global views, and below them the local ones in two rows.
Made ten_views(Graph& g, Value<Bytes> jpeg) {
  constexpr int kGlobal = 224, kLocal = 96, kRow = 4, kStep = 112;
  const DinoViews views = dino(g, jpeg);
  Made made;
  made.views = views.global;
  std::vector<Corner> corners = {{0, 0}, {0, kGlobal}};
  for (const Value<Image>& view : views.local) {
    const int i = static_cast<int>(made.views.size()) - 2;
    corners.emplace_back(kGlobal + 8 + i / kRow * (kLocal + 8), 8 + i % kRow * kStep);
    made.views.push_back(view);
  }
  made.picture = side_by_side(g, kGlobal + 16 + 2 * kLocal + 8, 2 * kGlobal, corners, made.views);
  return made;
}

Made detected(Graph& g, const Given& given) {
  const DetectionSample sample = detection_augment(g, given.file, given.boxes, given.labels);
  return {.picture = sample.image, .boxes = sample.boxes, .labels = sample.labels};
}

Made segmented(Graph& g, const Given& given) {
  const auto ids = decode_image(given.mask, {.color = ColorSpace::gray});
  const SegmentationSample sample = segmentation_augment(g, given.file, ids);
  return {.picture = sample.image, .mask = sample.mask};
}

// Recipes that run on the CPU, and note nothing of a sample.
std::optional<Made> on_cpu(Graph& g, Recipe recipe, const Given& given) {
  if (recipe == Recipe::simclr) return two_views(g, given.file);
  if (recipe == Recipe::dino) return ten_views(g, given.file);
  if (recipe == Recipe::detection) return detected(g, given);
  if (recipe == Recipe::segmentation) return segmented(g, given);
  return std::nullopt;
}

}  // namespace

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all = {
      Recipe::rotate,         Recipe::train,       Recipe::eval,        Recipe::randaugment,
      Recipe::trivialaugment, Recipe::autoaugment, Recipe::augmix,      Recipe::simclr,
      Recipe::dino,           Recipe::detection,   Recipe::segmentation};
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
    case Recipe::dino:
      return "dino";
    case Recipe::detection:
      return "detection";
    case Recipe::segmentation:
      return "segmentation";
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
    case Recipe::dino:
      return "2 global and 8 local views of one decode, as DINO is trained with, on one picture";
    case Recipe::detection:
      return "a random region with its boxes, 300 x 300, as SSD is trained with; of --list";
    case Recipe::segmentation:
      return "a window of 512 x 512 of picture and mask, scaled by 0.5 to 2; of --list";
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
    case Recipe::dino:
      return "2 global views, 8 local ones";
    case Recipe::detection:
      return "a random region and its boxes";
    case Recipe::segmentation:
      return "a random window and its mask";
  }
  return {};
}

Wants wants_of(Recipe recipe) {
  if (recipe == Recipe::detection) return Wants::boxes;
  if (recipe == Recipe::segmentation) return Wants::mask;
  return Wants::label;
}

Made apply(Graph& g, Recipe recipe, const Given& given, bool on_device) {
  if (std::optional<Made> made = on_cpu(g, recipe, given)) {
    made->treatment = g.constant(Treatment{.cut = true});
    return *made;
  }
  const Value<Bytes> file = on_device ? given.file.gpu() : given.file;
  const auto [picture, treatment] = [&]() -> Result {
    if (recipe == Recipe::rotate) return rotate_some(g, file);
    if (recipe == Recipe::train) return train(g, given.file, file);
    if (recipe == Recipe::eval) return eval(g, file);
    return augmented(g, recipe, given.file, file, on_device);
  }();
  return {.picture = on_device ? picture.cpu() : picture, .treatment = treatment};
}

std::vector<detail::SlotId> outputs_of(const Made& made, const Given& given) {
  std::vector<detail::SlotId> outputs;
  for (const Value<Image>& view : made.views) outputs.push_back(view.slot());
  if (outputs.empty()) outputs.push_back(made.picture.slot());
  if (made.boxes.valid()) {
    outputs.push_back(made.boxes.slot());
    outputs.push_back(made.labels.slot());
  } else if (made.mask.valid()) {
    outputs.push_back(made.mask.slot());
  } else {
    outputs.push_back(given.label.slot());
  }
  return outputs;
}

}  // namespace sluice::app
