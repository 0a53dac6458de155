// The operators of boxes.h that draw or compute regions. The others are in boxes.cpp and
// boxes_moving.cpp.
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/kernels/boxes.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/parameters.h>
#include <sluice/runtime/error.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace sluice {
namespace {

using detail::add_size;

using Thresholds = std::array<float, 7>;

ParameterOptions<float> share(float otherwise, const char* help) {
  return {.value = otherwise, .low = 0, .high = 1, .low_open = true, .help = help};
}
ParameterOptions<float> ratio(float otherwise, const char* help) {
  return {.value = otherwise, .low = 0, .low_open = true, .help = help};
}

// The arguments are boxes, labels, height, width, thresholds, then min_scale, max_scale, min_ratio,
// max_ratio.
void check_ranges(const detail::Arguments& arguments) {
  constexpr std::size_t kFirst = 5;
  for (std::size_t i = kFirst; i < kFirst + 4; i += 2) {
    const auto* low = detail::constant_of<float>(arguments.at(i));
    const auto* high = detail::constant_of<float>(arguments.at(i + 1));
    if (low == nullptr || high == nullptr || *low <= *high) continue;
    throw BuildError(fmt::format("random_bbox_crop: min_{0} is {1}, above max_{0}, which is {2}",
                                 i == kFirst ? "scale" : "ratio", *low, *high));
  }
}

}  // namespace

const detail::OperatorPtr& detail::random_bbox_crop_operator() {
  static const OperatorPtr op = [] {
    const RandomBboxCropOptions o;
    OperatorDeclaration declaration("random_bbox_crop");
    declaration.family("boxes")
        .summary(
            "Draws a random region that overlaps a box enough, and returns the boxes within it.")
        .in_cpp("random_bbox_crop(boxes, labels, canvas_size(image))")
        .input<Tensor>("boxes")
        .input<Tensor>("labels");
    return add_size(declaration)
        .constant<Thresholds>(
            "thresholds",
            {.value = o.thresholds,
             .low = 0,
             .high = 1,
             .help = "least overlap of the region and a box; 1 keeps the whole image"})
        .constant<float>("min_scale", share(o.min_scale, "side of the region / side of the image"))
        .constant<float>("max_scale", share(o.max_scale, "side of the region / side of the image"))
        .constant<float>("min_ratio", ratio(o.min_ratio, "width / height"))
        .constant<float>("max_ratio", ratio(o.max_ratio, "width / height"))
        .constant<std::int32_t>("attempts", {.value = o.attempts,
                                             .low = 1,
                                             .high = 10000,
                                             .help = "regions drawn for each threshold"})
        .constant<std::int32_t>(
            "rounds", {.value = o.rounds, .low = 1, .high = 10000, .help = "thresholds drawn"})
        .output<Rectangle>("region")
        .output<Tensor>("boxes")
        .output<Tensor>("labels")
        .checks(check_ranges)
        .infers([](const Arguments&, const std::vector<TensorSpec>& of) {
          return std::vector<TensorSpec>{
              {}, {.dtype = DType::f32, .layout = Layout::none, .rank = 2}, of.at(1)};
        })
        .runs([](Random& random, const Tensor& in, const Tensor& in_labels, std::int32_t height,
                 std::int32_t width, const Thresholds& thresholds, float min_scale, float max_scale,
                 float min_ratio, float max_ratio, std::int32_t attempts, std::int32_t rounds,
                 Rectangle& region, Tensor& boxes, Tensor& labels) {
          const char* const name = "random_bbox_crop";
          const auto all = kernels::read_boxes(name, in);
          const kernels::CropOfBoxes crop =
              kernels::random_bbox_crop(random, all, height, width,
                                        {.thresholds = thresholds,
                                         .min_scale = static_cast<double>(min_scale),
                                         .max_scale = static_cast<double>(max_scale),
                                         .min_ratio = static_cast<double>(min_ratio),
                                         .max_ratio = static_cast<double>(max_ratio),
                                         .attempts = attempts,
                                         .rounds = rounds});
          region = crop.region;
          kernels::write_boxes(crop.boxes, boxes);
          kernels::take_rows(name, in_labels, static_cast<std::int64_t>(all.size()), crop.kept,
                             labels);
        });
  }();
  return op;
}

BboxCrop random_bbox_crop(Value<Tensor> boxes, Value<Tensor> labels, const CanvasSize& size,
                          const RandomBboxCropOptions& o) {
  const auto [region, kept, kept_labels] = apply_operator<std::tuple<Rectangle, Tensor, Tensor>>(
      detail::random_bbox_crop_operator(), boxes, labels, size.height, size.width, o.thresholds,
      o.min_scale, o.max_scale, o.min_ratio, o.max_ratio, o.attempts, o.rounds);
  return {region, kept, kept_labels};
}

namespace {

// A share that is one half unless given.
ParameterOptions<float> half(const char* help) {
  return {.value = 0.5f, .low = 0, .high = 1, .help = help};
}

int pixel_sum(int a, int b) {
  const std::int64_t sum = std::int64_t{a} + b;
  if (sum < std::numeric_limits<int>::min() || sum > std::numeric_limits<int>::max())
    throw std::invalid_argument(fmt::format("nested_region: {} + {} is no pixel", a, b));
  return static_cast<int>(sum);
}

}  // namespace

const detail::OperatorPtr& detail::scaled_region_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("scaled_region");
    declaration.family("boxes")
        .summary("Returns the source region and the resized size for a crop of a resized image.")
        .in_cpp(
            "scaled_region(canvas_size(image), {.height = 51, .width = 51, .scale = 1.5f}).region");
    return add_size(declaration)
        .parameter<std::int32_t>(
            "window_height",
            {.low = 1, .help = "height of the window, in pixels of the scaled image"})
        .parameter<std::int32_t>(
            "window_width",
            {.low = 1, .help = "width of the window, in pixels of the scaled image"})
        .parameter<float>(
            "scale",
            {.value = 1.f, .low = 0, .low_open = true, .help = "scale factor of both sides"})
        .parameter<float>("y", half("fraction of the free rows above"))
        .parameter<float>("x", half("fraction of the free columns on the left"))
        .output<Rectangle>("region")
        .output<std::int32_t>("resized_height")
        .output<std::int32_t>("resized_width")
        .runs([](std::int32_t height, std::int32_t width, std::int32_t window_height,
                 std::int32_t window_width, float scale, float y, float x) {
          const kernels::ShownPart rows = kernels::shown_part(height, window_height, scale, y);
          const kernels::ShownPart columns = kernels::shown_part(width, window_width, scale, x);
          return std::tuple<Rectangle, std::int32_t, std::int32_t>{
              {.y = rows.begin, .x = columns.begin, .height = rows.length, .width = columns.length},
              rows.scaled,
              columns.scaled};
        });
  }();
  return op;
}

const detail::OperatorPtr& detail::expanded_region_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("expanded_region");
    declaration.family("boxes")
        .summary("Returns the canvas of expand as a region in the image's coordinates.")
        .in_cpp("expanded_region(canvas_size(image), {.ratio = 1.5f})");
    return add_size(declaration)
        .parameter<float>(
            "ratio", {.value = 2.f, .low = 1, .help = "side of the canvas / side of the image"})
        .parameter<float>("y", half("fraction of the free rows above the image"))
        .parameter<float>("x", half("fraction of the free columns left of the image"))
        .output<Rectangle>("region")
        .runs([](std::int32_t height, std::int32_t width, float ratio, float y, float x) {
          const kernels::Expanded canvas =
              kernels::expanded({.ratio = ratio, .y = y, .x = x}, height, width);
          return Rectangle{.y = -canvas.image.y,
                           .x = -canvas.image.x,
                           .height = canvas.canvas.height,
                           .width = canvas.canvas.width};
        });
  }();
  return op;
}

const detail::OperatorPtr& detail::nested_region_operator() {
  static const OperatorPtr op =
      declare_operator("nested_region")
          .family("boxes")
          .summary("Converts a region within another region to the image's coordinates.")
          .in_cpp("nested_region(region, random_region(image))")
          .input<Rectangle>("outer")
          .input<Rectangle>("inner")
          .output<Rectangle>("region")
          .runs([](const Rectangle& outer, const Rectangle& inner) {
            return Rectangle{.y = pixel_sum(outer.y, inner.y),
                             .x = pixel_sum(outer.x, inner.x),
                             .height = inner.height,
                             .width = inner.width};
          });
  return op;
}

ScaledRegion scaled_region(const CanvasSize& size, const ScaledRegionOptions& options) {
  const auto [region, height, width] =
      apply_operator<std::tuple<Rectangle, std::int32_t, std::int32_t>>(
          detail::scaled_region_operator(), size.height, size.width, options.height, options.width,
          options.scale, options.y, options.x);
  return {region, {.height = height, .width = width}};
}

Value<Rectangle> expanded_region(const CanvasSize& size, const ExpandOptions& options) {
  return apply_operator<Rectangle>(detail::expanded_region_operator(), size.height, size.width,
                                   options.ratio, options.y, options.x);
}

Value<Rectangle> nested_region(Value<Rectangle> outer, Value<Rectangle> inner) {
  return apply_operator<Rectangle>(detail::nested_region_operator(), outer, inner);
}

}  // namespace sluice
