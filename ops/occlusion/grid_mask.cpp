#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/geometry/fill_numbers.h>
#include <sluice/ops/kernels/grid_mask.h>
#include <sluice/ops/occlusion.h>

#include <cstdint>

namespace sluice {
namespace {

ParameterOptions<float> zero_unless_given(const char* help) {
  constexpr double kMost = kernels::kLargestShift;
  return {.value = 0.f, .low = -kMost, .high = kMost, .help = help};
}

}  // namespace

const detail::OperatorPtr& detail::grid_mask_operator() {
  static const OperatorPtr op =
      declare_operator("grid_mask")
          .family("occlusion")
          .summary("Squares of a regular grid get a colour.")
          .in_cpp("grid_mask(image, {.tile = 50, .degrees = g.uniform(0.f, 90.f)})")
          .input<Image>("image")
          .parameter<std::int32_t>("tile", {.value = 100,
                                            .low = 1,
                                            .high = kernels::kLargestTile,
                                            .help = "pixels from one square to the next"})
          .parameter<float>("ratio", {.value = 0.5f,
                                      .low = 0,
                                      .high = 1,
                                      .help = "the side of a square, as a part of the tile's"})
          .parameter("degrees", zero_unless_given("counter-clockwise about the upper left pixel"))
          .parameter("shift_x", zero_unless_given("in pixels"))
          .parameter("shift_y", zero_unless_given("in pixels"))
          .parameter("fill", fill_option("the colour, for each channel"))
          .output<Image>("image")
          .runs([](const Image& in, std::int32_t tile, float ratio, float degrees, float shift_x,
                   float shift_y, const FillNumbers& fill, Image& out) {
            kernels::grid_mask(in, {tile, ratio, degrees, shift_x, shift_y, fill_of(fill)}, out);
          });
  return op;
}

Value<Image> grid_mask(Value<Image> image, const GridMaskOptions& o) {
  return apply_operator<Image>(detail::grid_mask_operator(), image, o.tile, o.ratio, o.degrees,
                               o.shift_x, o.shift_y, detail::numbers_of_fill(o.fill));
}

}  // namespace sluice
