// The recipes of automatic.h: color_jitter, detection_augment, dino, photometric_distort,
// segmentation_augment and sim_clr. The policies are in automatic.cpp.
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/graph.h>
#include <sluice/ops/automatic.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/color.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/option_types.h>
#include <sluice/ops/random.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace sluice {
namespace {

// One view of an image, as used for contrastive learning and self-distillation: a region of it,
// resized and, by chance, flipped, recolored, grayed, blurred or solarized.
struct ViewOptions {
  int height = 224, width = 224;
  Interpolation interpolation = Interpolation::bilinear;
  // The maximum deviation of the factors from 1, and the maximum hue rotation in degrees.
  float brightness = 0, contrast = 0, saturation = 0, hue = 0;
  float color_probability = 0.8f;
  float gray_probability = 0.2f;
  float blur_probability = 0.5f;
  float solarize_probability = 0;  // 0 makes no random draw
};
Value<Image> view_of(Graph& g, Value<Image> image, Value<Rectangle> region,
                     const ViewOptions& options) {
  const auto factor = [&](float most) { return g.uniform(1 - most, 1 + most); };
  Value<Image> view = resize(
      crop(image, region),
      {.height = options.height, .width = options.width, .interpolation = options.interpolation});
  view = flip(view, {.horizontal = g.coin_flip(0.5f)});
  view = g.apply_if(g.coin_flip(options.color_probability), view,
                    [&](Value<Image> x) {
                      return color_twist(x, {.brightness = factor(options.brightness),
                                             .contrast = factor(options.contrast),
                                             .saturation = factor(options.saturation),
                                             .hue = g.uniform(-options.hue, options.hue)});
                    },
                    {.name = "color"});
  view = g.apply_if(g.coin_flip(options.gray_probability), view,
                    [](Value<Image> x) { return grayscale(x, {.channels = 3}); }, {.name = "gray"});
  view =
      g.apply_if(g.coin_flip(options.blur_probability), view,
                 [&](Value<Image> x) { return gaussian_blur(x, {.sigma = g.uniform(0.1f, 2.f)}); },
                 {.name = "blur"});
  if (options.solarize_probability == 0) return view;
  return g.apply_if(g.coin_flip(options.solarize_probability), view,
                    [](Value<Image> x) { return solarize(x); }, {.name = "solarize"});
}

// The decoded bounding rectangle of several regions of a file, and the position of each in it.
struct OneDecode {
  Value<Image> image;
  std::vector<Value<Rectangle>> inside;
};
OneDecode decode_around(Value<Bytes> jpeg, const std::vector<Value<Rectangle>>& regions,
                        const JpegOptions& options) {
  if (regions.size() == 2) {
    const JoinedRegions both = join_regions(regions[0], regions[1]);
    return {decode_jpeg(jpeg, both.around, options), {both.first, both.second}};
  }
  Value<Rectangle> around = regions.front();
  for (std::size_t i = 1; i < regions.size(); ++i) around = join_regions(around, regions[i]).around;
  OneDecode one{decode_jpeg(jpeg, around, options), {}};
  for (const Value<Rectangle> region : regions)
    one.inside.push_back(join_regions(around, region).second);
  return one;
}

}  // namespace

DetectionSample detection_augment(Graph& g, Value<Bytes> jpeg, Value<Tensor> boxes,
                                  Value<Tensor> labels, const DetectionOptions& options) {
  if (options.height < 1 || options.width < 1) {
    throw BuildError(
        fmt::format("detection_augment: height and width must be at least 1, but are {} and {}",
                    options.height, options.width));
  }
  if (!(options.max_zoom >= 1)) {
    throw BuildError(
        fmt::format("detection_augment: max_zoom must be at least 1, but is {}", options.max_zoom));
  }
  const Value<bool> zoomed = g.coin_flip(options.zoom_probability);
  const Value<float> ratio = g.if_else(
      zoomed, [&] { return g.uniform(1.f, options.max_zoom); }, [&] { return g.constant(1.f); },
      {.name = "zoom"});
  const CanvasSize whole = canvas_size(decode_jpeg(jpeg, options.jpeg));
  const Value<Rectangle> canvas =
      expanded_region(whole, {.ratio = ratio, .y = g.uniform(0.f, 1.f), .x = g.uniform(0.f, 1.f)});

  // One statement per step: compilers differ in the order in which they evaluate the arguments of a
  // call, and the graph must not depend on it.
  const CanvasSize shown = canvas_size(canvas);
  const BboxCrop part = random_bbox_crop(crop_boxes(boxes, canvas), labels, shown);
  const Value<Rectangle> region = nested_region(canvas, part.region);
  const CropOptions beyond{.out_of_bounds = OutOfBounds::pad, .fill = options.fill};
  Value<Image> image = g.if_else(
      zoomed, [&] { return crop(decode_jpeg(jpeg, options.jpeg), region, beyond); },
      [&] { return decode_jpeg(jpeg, region, options.jpeg); }, {.name = "canvas"});

  const CanvasSize size{.height = options.height, .width = options.width};
  image = resize(image, {.height = options.height, .width = options.width});
  boxes = resize_boxes(part.boxes, canvas_size(part.region), size);

  const FlipOptions mirror{.horizontal = g.coin_flip(options.mirror_probability)};
  image = flip(image, mirror);
  boxes = flip_boxes(boxes, size, mirror);

  const LabeledBoxes left =
      filter_boxes(boxes, part.labels, size, {.min_height = 1.f, .min_width = 1.f});
  return {photometric_distort(g, image, options.color_probability), left.boxes, left.labels};
}

namespace {

void check(const DinoOptions& options) {
  constexpr int kMostLocals = 64;
  if (options.global_size < 1 || options.local_size < 1) {
    throw BuildError(
        fmt::format("dino: global_size and local_size must be at least 1, but are {} and {}",
                    options.global_size, options.local_size));
  }
  if (options.locals < 0 || options.locals > kMostLocals) {
    throw BuildError(fmt::format("dino: locals must lie between 0 and {}, but is {}", kMostLocals,
                                 options.locals));
  }
}

ViewOptions view_options(int size, float blur, float solarize) {
  return {.height = size,
          .width = size,
          .interpolation = Interpolation::bicubic,
          .brightness = 0.4f,
          .contrast = 0.4f,
          .saturation = 0.2f,
          .hue = 36.f,
          .blur_probability = blur,
          .solarize_probability = solarize};
}

}  // namespace

DinoViews dino(Graph& g, Value<Bytes> jpeg, const DinoOptions& options) {
  check(options);
  std::vector<Value<Rectangle>> regions;
  const auto draw_region = [&](float min_area, float max_area) {
    regions.push_back(random_region(jpeg, {.min_area = min_area, .max_area = max_area},
                                    options.jpeg.apply_orientation));
  };
  for (int i = 0; i < 2; ++i) draw_region(options.min_global_area, 1.f);
  for (int i = 0; i < options.locals; ++i)
    draw_region(options.min_local_area, options.max_local_area);
  const OneDecode one = decode_around(jpeg, regions, options.jpeg);

  DinoViews views;
  const auto global = [&](std::size_t i, float blur, float solarize) {
    views.global.push_back(
        view_of(g, one.image, one.inside[i], view_options(options.global_size, blur, solarize)));
  };
  global(0, 1.f, 0.f);
  global(1, 0.1f, 0.2f);
  for (std::size_t i = 2; i < one.inside.size(); ++i) {
    views.local.push_back(
        view_of(g, one.image, one.inside[i], view_options(options.local_size, 0.5f, 0.f)));
  }
  return views;
}

Value<Image> photometric_distort(Graph& g, Value<Image> image, float probability) {
  const auto by_chance = [&](const char* name, float low, float high, float otherwise) {
    return g.if_else(
        g.coin_flip(probability), [&] { return g.uniform(low, high); },
        [&] { return g.constant(otherwise); }, {.name = name});
  };
  const auto brightness = by_chance("brightness", 0.875f, 1.125f, 1.f);
  const auto contrast = by_chance("contrast", 0.5f, 1.5f, 1.f);
  const auto saturation = by_chance("saturation", 0.5f, 1.5f, 1.f);
  const auto hue = by_chance("hue", -18.f, 18.f, 0.f);
  return color_twist(
      image,
      {.brightness = brightness, .contrast = contrast, .saturation = saturation, .hue = hue});
}

Value<Image> color_jitter(Graph& g, Value<Image> image, const ColorJitterOptions& options) {
  using Change = Value<Image> (*)(Value<Image>, Value<float>);
  struct Step {
    Value<float> amount;
    Change change;
  };
  std::vector<Step> steps;
  const auto add = [&](const char* name, const std::array<float, 2>& range, float neutral,
                       Change change) {
    const bool in_order = std::isfinite(range[0]) && std::isfinite(range[1]) &&
                          range[0] <= range[1] && (neutral == 0 || range[0] >= 0);
    if (!in_order) {
      throw BuildError(fmt::format(
          "color_jitter: {} must be a range of finite numbers{}, smallest first, not {} to {}",
          name, neutral == 0 ? "" : " from 0 on", range[0], range[1]));
    }
    if (range[0] == neutral && range[1] == neutral) return;
    steps.push_back({g.uniform(range[0], range[1]), change});
  };
  add("brightness", options.brightness, 1, [](Value<Image> x, Value<float> factor) {
    return brightness_contrast(x, {.brightness = factor});
  });
  add("contrast", options.contrast, 1,
      [](Value<Image> x, Value<float> factor) { return contrast(x, factor); });
  add("saturation", options.saturation, 1,
      [](Value<Image> x, Value<float> factor) { return saturation(x, factor); });
  add("hue", options.hue, 0, [](Value<Image> x, Value<float> degrees) { return hue(x, degrees); });
  if (steps.empty()) return image;

  std::vector<std::size_t> order(steps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::function<Value<Image>()>> branches;
  do {
    branches.emplace_back([&steps, image, order] {
      Value<Image> changed = image;
      for (const std::size_t i : order) changed = steps[i].change(changed, steps[i].amount);
      return changed;
    });
  } while (std::next_permutation(order.begin(), order.end()));
  if (branches.size() == 1) return branches.front()();
  return g.select(choice_index(g, std::vector<float>(branches.size(), 1.f)), branches,
                  {.name = "color_jitter"});
}

namespace {

void check(const SegmentationOptions& o) {
  const char* const op = "segmentation_augment";
  if (o.height < 1 || o.width < 1) {
    throw BuildError(fmt::format("{}: height and width must be at least 1, but are {} and {}", op,
                                 o.height, o.width));
  }
  if (!(o.min_scale > 0 && o.min_scale <= o.max_scale)) {
    throw BuildError(fmt::format(
        "{}: min_scale is {} and max_scale {}; they must be above 0, and the first not above the "
        "second",
        op, o.min_scale, o.max_scale));
  }
  if (o.ignored < 0 || o.ignored > 255)
    throw BuildError(
        fmt::format("{}: ignored must lie between 0 and 255, but is {}", op, o.ignored));
}

}  // namespace

SegmentationSample segmentation_augment(Graph& g, Value<Bytes> jpeg, Value<Image> mask,
                                        const SegmentationOptions& options) {
  check(options);
  Value<Image> image = decode_jpeg(jpeg, options.jpeg);
  // One statement per step: compilers differ in the order in which they evaluate the arguments of a
  // call, and the graph must not depend on it.
  const ScaledRegionOptions scaling{.height = options.height,
                                    .width = options.width,
                                    .scale = g.uniform(options.min_scale, options.max_scale),
                                    .y = g.uniform(0.f, 1.f),
                                    .x = g.uniform(0.f, 1.f)};
  const ScaledRegion shown = scaled_region(canvas_size(image), scaling);
  const FlipOptions mirror{.horizontal = g.coin_flip(options.mirror_probability)};
  const auto moved = [&](Value<Image> in, Interpolation interpolation) {
    return flip(resize(crop(in, shown.region), {.height = shown.size.height,
                                                .width = shown.size.width,
                                                .interpolation = interpolation}),
                mirror);
  };
  const auto padded = [&](Value<Image> in, const Fill& fill) {
    return pad_image(in, {.height = options.height, .width = options.width, .fill = fill});
  };
  image = photometric_distort(g, moved(image, Interpolation::bilinear), options.color_probability);
  return {padded(image, options.fill),
          padded(moved(mask, Interpolation::nearest), options.ignored)};
}

namespace {

Rectangle smallest_around(const Rectangle& a, const Rectangle& b) {
  const int top = std::min(a.y, b.y), left = std::min(a.x, b.x);
  return {.y = top,
          .x = left,
          .height = std::max(a.y + a.height, b.y + b.height) - top,
          .width = std::max(a.x + a.width, b.x + b.width) - left};
}

Rectangle relative_to(const Rectangle& outer, const Rectangle& region) {
  return {.y = region.y - outer.y,
          .x = region.x - outer.x,
          .height = region.height,
          .width = region.width};
}

}  // namespace

const detail::OperatorPtr& detail::join_regions_operator() {
  static const OperatorPtr op =
      declare_operator("join_regions")
          .family("geometry")
          .summary("Returns the smallest rectangle around two, and the place of each within it.")
          .in_cpp("join_regions(region, random_region(image))")
          .input<Rectangle>("first")
          .input<Rectangle>("second")
          .output<Rectangle>("around")
          .output<Rectangle>("first_inside")
          .output<Rectangle>("second_inside")
          .runs([](const Rectangle& first, const Rectangle& second) {
            const Rectangle outer = smallest_around(first, second);
            return std::tuple{outer, relative_to(outer, first), relative_to(outer, second)};
          });
  return op;
}

JoinedRegions join_regions(Value<Rectangle> first, Value<Rectangle> second) {
  const auto joined = apply_operator<std::tuple<Rectangle, Rectangle, Rectangle>>(
      detail::join_regions_operator(), first, second);
  return {std::get<0>(joined), std::get<1>(joined), std::get<2>(joined)};
}

std::pair<Value<Image>, Value<Image>> sim_clr(Graph& g, Value<Bytes> jpeg,
                                              const SimClrOptions& options) {
  if (!(options.color_strength >= 0.f && options.color_strength <= 1.f)) {
    throw BuildError(fmt::format("sim_clr: color_strength must lie between 0 and 1, but is {}",
                                 options.color_strength));
  }
  if (options.height < 1 || options.width < 1) {
    throw BuildError(fmt::format("sim_clr: height and width must be at least 1, but are {} and {}",
                                 options.height, options.width));
  }
  const auto region = [&] {
    return random_region(jpeg, {.min_area = options.min_area}, options.jpeg.apply_orientation);
  };
  const Value<Rectangle> one = region(), other = region();
  const OneDecode decoded = decode_around(jpeg, {one, other}, options.jpeg);
  const float strength = options.color_strength;
  const ViewOptions view{.height = options.height,
                         .width = options.width,
                         .brightness = 0.8f * strength,
                         .contrast = 0.8f * strength,
                         .saturation = 0.8f * strength,
                         .hue = 72.f * strength,
                         .color_probability = options.color_probability,
                         .gray_probability = options.gray_probability,
                         .blur_probability = options.blur_probability};
  const Value<Image> first = view_of(g, decoded.image, decoded.inside[0], view);
  return {first, view_of(g, decoded.image, decoded.inside[1], view)};
}

}  // namespace sluice
