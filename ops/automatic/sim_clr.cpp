#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/automatic.h>
#include <sluice/ops/automatic/view.h>
#include <sluice/ops/geometry.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace sluice {
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
          .summary("The smallest rectangle around two, and where each lies in it.")
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
  if (!(options.colour_strength >= 0.f && options.colour_strength <= 1.f)) {
    throw BuildError(fmt::format("sim_clr: colour_strength must lie between 0 and 1, but is {}",
                                 options.colour_strength));
  }
  if (options.width < 1 || options.height < 1) {
    throw BuildError(fmt::format("sim_clr: width and height must be at least 1, but are {} and {}",
                                 options.width, options.height));
  }
  const auto region = [&] {
    return random_region(jpeg, {.min_area = options.min_area}, options.jpeg.apply_orientation);
  };
  const Value<Rectangle> one = region(), other = region();
  const detail::OneDecode decoded = detail::decode_around(jpeg, {one, other}, options.jpeg);
  const float strength = options.colour_strength;
  const detail::ViewOptions view{.width = options.width,
                                 .height = options.height,
                                 .brightness = 0.8f * strength,
                                 .contrast = 0.8f * strength,
                                 .saturation = 0.8f * strength,
                                 .hue = 72.f * strength,
                                 .colour_probability = options.colour_probability,
                                 .gray_probability = options.gray_probability,
                                 .blur_probability = options.blur_probability};
  const Value<Image> first = detail::view_of(g, decoded.image, decoded.inside[0], view);
  return {first, detail::view_of(g, decoded.image, decoded.inside[1], view)};
}

}  // namespace sluice
