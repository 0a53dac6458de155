#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/boxes/size_parameters.h>
#include <sluice/ops/kernels/crop.h>
#include <sluice/ops/kernels/expand.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>

namespace sluice {
namespace {

ParameterOptions<float> share(const char* help) {
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
        .summary("What a window shows of a scaled picture: the region, and its size then.")
        .in_cpp(
            "scaled_region(canvas_size(image), {.width = 51, .height = 51, .scale = 1.5f}).region");
    return add_size(declaration)
        .parameter<std::int32_t>("window_height", {.low = 1, .help = "of the scaled picture"})
        .parameter<std::int32_t>("window_width", {.low = 1, .help = "of the scaled picture"})
        .parameter<float>("scale",
                          {.value = 1.f, .low = 0, .low_open = true, .help = "of both sides"})
        .parameter<float>("y", share("of the free rows, those above"))
        .parameter<float>("x", share("of the free columns, those left of it"))
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
        .summary("The canvas of expand, counted from the corner of the picture.")
        .in_cpp("expanded_region(canvas_size(image), {.ratio = 1.5f})");
    return add_size(declaration)
        .parameter<float>("ratio", {.value = 2.f, .low = 1, .help = "of each side"})
        .parameter<float>("y", share("of the free rows, those above the picture"))
        .parameter<float>("x", share("of the free columns, those left of the picture"))
        .output<Rectangle>("region")
        .runs([](std::int32_t height, std::int32_t width, float ratio, float y, float x) {
          const kernels::Expanded canvas =
              kernels::expanded({.ratio = ratio, .y = y, .x = x}, height, width);
          return Rectangle{.y = -canvas.picture.y,
                           .x = -canvas.picture.x,
                           .height = canvas.canvas.height,
                           .width = canvas.canvas.width};
        });
  }();
  return op;
}

const detail::OperatorPtr& detail::nested_region_operator() {
  static const OperatorPtr op = declare_operator("nested_region")
                                    .family("boxes")
                                    .summary("A region within another one, counted in the picture.")
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
  return {region, {.width = width, .height = height}};
}

Value<Rectangle> expanded_region(const CanvasSize& size, const ExpandOptions& options) {
  return apply_operator<Rectangle>(detail::expanded_region_operator(), size.height, size.width,
                                   options.ratio, options.y, options.x);
}

Value<Rectangle> nested_region(Value<Rectangle> outer, Value<Rectangle> inner) {
  return apply_operator<Rectangle>(detail::nested_region_operator(), outer, inner);
}

}  // namespace sluice
