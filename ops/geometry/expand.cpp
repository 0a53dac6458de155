#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/geometry/fill_numbers.h>
#include <sluice/ops/kernels/expand.h>

namespace sluice {

const detail::OperatorPtr& detail::expand_operator() {
  static const OperatorPtr op =
      declare_operator("expand")
          .family("geometry")
          .summary("On a larger canvas of one colour.")
          .in_cpp("expand(image, {.ratio = 1.5f, .y = g.uniform(0.f, 1.f)})")
          .input<Image>("image")
          .parameter<float>("ratio", {.value = 2.f,
                                      .low = 1,
                                      .high = 65535,
                                      .help = "sides of the canvas / those of the picture"})
          .parameter<float>(
              "y", {.value = 0.5f, .low = 0, .high = 1, .help = "share of the free rows above"})
          .parameter<float>(
              "x",
              {.value = 0.5f, .low = 0, .high = 1, .help = "share of the free columns on the left"})
          .parameter("fill", fill_option("the colour of the canvas, for each channel"))
          .output<Image>("image")
          .runs([](const Image& in, float ratio, float y, float x, const FillNumbers& fill,
                   Image& out) {
            kernels::expand(in, {ratio, y, x}, fill_of(fill), out);
          });
  return op;
}

Value<Image> expand(Value<Image> image, const ExpandOptions& options) {
  return apply_operator<Image>(detail::expand_operator(), image, options.ratio, options.y,
                               options.x, detail::numbers_of_fill(options.fill));
}

}  // namespace sluice
