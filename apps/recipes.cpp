#include "recipes.h"

#include "usage.h"
#include <sluice/graph/graph.h>
#include <sluice/ops/automatic.h>
#include <sluice/ops/composition.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/geometry.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sluice::app {
namespace {

using Treatable = std::pair<Value<Image>, Value<Treatment>>;

// `file` is the same as `jpeg`, or its copy on the device.
Treatable rotate_some(Graph& g, Value<Bytes> file, const RecipeSize& size) {
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
  return {resize(turned, {.height = size.height, .width = size.width}), treatment};
}

Treatable train(Graph& g, Value<Bytes> jpeg, Value<Bytes> file, const RecipeSize& size) {
  auto region = random_region(jpeg, {});
  auto mirror = g.coin_flip(0.5f);
  auto small = resize(decode_jpeg(file, region), {.height = size.height, .width = size.width});
  auto treatment = g.map(
      "note",
      [](const Rectangle& part, bool is_mirrored) {
        return Treatment{.cut = true, .region = part, .mirrored = is_mirrored};
      },
      region, mirror);
  return {flip(small, {.horizontal = mirror}), treatment};
}

// The length of the shorter side before the center is cropped: 256 for 224.
int shorter_side(const RecipeSize& size) { return (std::max(size.width, size.height) * 8 + 3) / 7; }

Treatable eval(Graph& g, Value<Bytes> file, const RecipeSize& size) {
  auto image = center_crop(resize(decode_jpeg(file), {.shorter = shorter_side(size)}),
                           {.height = size.height, .width = size.width});
  return {image, g.constant(Treatment{.cut = true})};
}

// A white canvas of this size with the views at their corners; the first one is at (0, 0).
using Corner = std::pair<int, int>;  // row, column
Value<Image> side_by_side(int height, int width, const std::vector<Corner>& corners,
                          const std::vector<Value<Image>>& views) {
  Value<Image> canvas =
      pad_image(views.front(), {.height = height, .width = width, .fill = Fill(255)});
  for (std::size_t i = 1; i < views.size(); ++i)
    canvas = paste(canvas, views[i], {.y = corners[i].first, .x = corners[i].second});
  return canvas;
}

RecipeOutputs two_views(Graph& g, Value<Bytes> file, const RecipeSize& size) {
  const auto views = sim_clr(g, file, {.height = size.height, .width = size.width});
  RecipeOutputs made;
  made.views = {views.first, views.second};
  made.image = side_by_side(size.height, 2 * size.width, {{0, 0}, {0, size.width}}, made.views);
  return made;
}

// The global views, and below them the local ones in two rows.
RecipeOutputs ten_views(Graph& g, Value<Bytes> file) {
  constexpr int kGlobal = 224, kLocal = 96, kRow = 4, kStep = 112;
  const DinoViews views = dino(g, file, {.global_size = kGlobal, .local_size = kLocal});
  RecipeOutputs made;
  made.views = views.global;
  std::vector<Corner> corners = {{0, 0}, {0, kGlobal}};
  for (const Value<Image>& view : views.local) {
    const int i = static_cast<int>(made.views.size()) - 2;
    corners.emplace_back(kGlobal + 8 + i / kRow * (kLocal + 8), 8 + i % kRow * kStep);
    made.views.push_back(view);
  }
  made.image = side_by_side(kGlobal + 16 + 2 * kLocal + 8, 2 * kGlobal, corners, made.views);
  return made;
}

RecipeOutputs detected(Graph& g, const RecipeInputs& given, Value<Bytes> file,
                       const RecipeSize& size) {
  const DetectionSample sample = detection_augment(g, file, given.boxes, given.labels,
                                                   {.height = size.height, .width = size.width});
  return {.image = sample.image, .boxes = sample.boxes, .labels = sample.labels};
}

// The mask is always decoded on the host.
RecipeOutputs segmented(Graph& g, const RecipeInputs& given, Value<Bytes> file,
                        const RecipeSize& size, bool on_device) {
  const auto ids = decode_image(given.mask, {.ids = true});
  const SegmentationSample sample = segmentation_augment(
      g, file, on_device ? ids.gpu() : ids, {.height = size.height, .width = size.width});
  return {.image = sample.image, .mask = sample.mask};
}

// Images are where `file` is, except that of augmix.
RecipeOutputs made_of(Graph& g, Recipe recipe, const RecipeInputs& given, Value<Bytes> file,
                      const RecipeSize& size, bool on_device) {
  const auto noted = [](const Treatable& result) -> RecipeOutputs {
    return {.image = result.first, .treatment = result.second};
  };
  const auto trained = [&] { return train(g, given.file, file, size); };
  const auto augmented = [&](const auto& augment) {
    const auto [image, treatment] = trained();
    return noted({augment(g, image), treatment});
  };
  switch (recipe) {
    case Recipe::rotate:
      return noted(rotate_some(g, file, size));
    case Recipe::train:
      return noted(trained());
    case Recipe::eval:
      return noted(eval(g, file, size));
    case Recipe::randaugment:
      return augmented([](Graph& to, Value<Image> x) { return rand_augment(to, x); });
    case Recipe::trivialaugment:
      return augmented([](Graph& to, Value<Image> x) { return trivial_augment_wide(to, x); });
    case Recipe::autoaugment:
      return augmented([](Graph& to, Value<Image> x) { return auto_augment(to, x); });
    case Recipe::augmix:
      return augmented([](Graph& to, Value<Image> x) { return aug_mix(to, x); });
    case Recipe::simclr:
      return two_views(g, file, size);
    case Recipe::dino:
      return ten_views(g, file);
    case Recipe::detection:
      return detected(g, given, file, size);
    case Recipe::segmentation:
      return segmented(g, given, file, size, on_device);
  }
  return {};
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

const std::vector<std::string>& recipe_names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const Recipe recipe : recipes()) names.emplace_back(name_of(recipe));
    names.emplace_back("imagenet");
    return names;
  }();
  return all;
}

std::optional<Recipe> recipe_of(const std::string& name) {
  if (name == "imagenet") return Recipe::train;
  for (const Recipe recipe : recipes()) {
    if (name == name_of(recipe)) return recipe;
  }
  return std::nullopt;
}

RecipeSize size_of(Recipe recipe, const RecipeSize& wished) {
  if (recipe == Recipe::dino) {
    if (wished == RecipeSize()) return {};
    throw UsageError(
        "--size is not for --recipe dino, whose views are of two sizes: leave it out, or call "
        "dino() with sizes of your own");
  }
  if (wished != RecipeSize()) return wished;
  if (recipe == Recipe::rotate) return {400, 400};
  if (recipe == Recipe::detection) return {300, 300};
  if (recipe == Recipe::segmentation) return {512, 512};
  return {224, 224};
}

std::string name_of(Recipe recipe, const RecipeSize& wished) {
  const RecipeSize size = size_of(recipe, wished);
  if (size == size_of(recipe)) return name_of(recipe);
  return fmt::format("{} {}x{}", name_of(recipe), size.width, size.height);
}

std::string summary_of(Recipe recipe, const RecipeSize& wished) {
  const RecipeSize size = size_of(recipe, wished);
  const std::string pixels = fmt::format("{} x {}", size.width, size.height);
  switch (recipe) {
    case Recipe::rotate:
      return fmt::format("one image in four rotated by 10 to 30 degrees, all resized to {}",
                         pixels);
    case Recipe::train:
      return fmt::format("a random region resized to {}, half of them mirrored", pixels);
    case Recipe::eval:
      return fmt::format("shorter side resized to {}, the {} pixels in the middle",
                         shorter_side(size), pixels);
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
      return "2 global and 8 local views of one decode, as DINO is trained with, on one image";
    case Recipe::detection:
      return fmt::format("a random region with its boxes, {}, as SSD is trained with; of --list",
                         pixels);
    case Recipe::segmentation:
      return fmt::format("a crop of {} of image and mask, scaled by 0.5 to 2; of --list", pixels);
  }
  return "";
}

std::string describe(Recipe recipe, const Treatment& treatment, const RecipeSize& wished) {
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
    case Recipe::eval: {
      const RecipeSize size = size_of(recipe, wished);
      return fmt::format("{} x {} pixels from the middle", size.width, size.height);
    }
    case Recipe::simclr:
      return "two views";
    case Recipe::dino:
      return "2 global views, 8 local ones";
    case Recipe::detection:
      return "a random region and its boxes";
    case Recipe::segmentation:
      return "a random crop and its mask";
  }
  return {};
}

bool draws_operators(Recipe recipe) {
  return recipe == Recipe::randaugment || recipe == Recipe::trivialaugment ||
         recipe == Recipe::autoaugment;
}

// A part of a path is the name of a choice, perhaps with a number, and its branch: "apply_random#2:
// rotate". A branch of apply_policy is a number and the operators of the sub-policy. Each of them
// that has a probability is a choice of its own.
std::string operators_in(const std::string& path) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t colon = std::min(part.find(':'), part.size());
    const std::string choice = part.substr(0, std::min(part.find('#'), colon));
    const std::string branch = part.substr(std::min(colon + 1, part.size()));
    if (choice == "apply_random") {
      names.push_back(branch);
    } else if (choice == "apply_policy") {
      for (std::size_t at = branch.find(' '); at != std::string::npos;) {
        const std::size_t comma = branch.find(", ", at + 1);
        names.push_back(branch.substr(at + 1, comma - at - 1));
        at = comma == std::string::npos ? comma : comma + 1;
      }
    } else if (branch == "otherwise") {
      const auto skipped = std::find(names.begin(), names.end(), choice);
      if (skipped != names.end()) names.erase(skipped);
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

Wants wants_of(Recipe recipe) {
  if (recipe == Recipe::detection) return Wants::boxes;
  if (recipe == Recipe::segmentation) return Wants::mask;
  return Wants::label;
}

RecipeOutputs apply(Graph& g, Recipe recipe, const RecipeInputs& given, const RecipeSize& wished,
                    bool on_device) {
  RecipeOutputs made = made_of(g, recipe, given, on_device ? given.file.gpu() : given.file,
                               size_of(recipe, wished), on_device);
  if (!made.treatment.valid()) made.treatment = g.constant(Treatment{.cut = true});
  if (!on_device) return made;
  const auto come_back = [](Value<Image>& image) { image = image.cpu(); };
  come_back(made.image);
  if (made.mask.valid()) come_back(made.mask);
  std::for_each(made.views.begin(), made.views.end(), come_back);
  return made;
}

std::vector<detail::SlotId> outputs_of(const RecipeOutputs& made, const RecipeInputs& given) {
  std::vector<detail::SlotId> outputs = {made.image.slot()};
  for (const Value<Image>& view : made.views) outputs.push_back(view.slot());
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
