#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/composing.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/geometry/warp_options.h>
#include <sluice/ops/kernels/shear.h>
#include <sluice/runtime/error.h>

namespace sluice {
namespace {

// x and y come after the input.
void check_product(const detail::Arguments& arguments) {
  const auto* x = detail::constant_of<float>(arguments.at(1));
  const auto* y = detail::constant_of<float>(arguments.at(2));
  if (x == nullptr || y == nullptr || static_cast<double>(*x) * static_cast<double>(*y) != 1.0)
    return;
  throw BuildError("shear: x * y must not be 1, which leaves no more than a line of the picture");
}

}  // namespace

const detail::OperatorPtr& detail::shear_operator() {
  static const OperatorPtr op = composes_warp(
      with_warp_options(
          declare_operator("shear")
              .family("geometry")
              .summary("Rows slide along each other, or columns.")
              .in_cpp("shear(image, {.x = g.uniform(-0.3f, 0.3f)})")
              .input<Image>("image")
              .parameter<float>("x", {.value = 0.f,
                                      .low = -1000,
                                      .high = 1000,
                                      .help = "pixels to the right, for each row down"})
              .parameter<float>("y", {.value = 0.f,
                                      .low = -1000,
                                      .high = 1000,
                                      .help = "pixels down, for each column to the right"})
              .parameter<float>("center_x", {.value = 0.f,
                                             .low = -10,
                                             .high = 10,
                                             .help = "what stays, as a share of the width"})
              .parameter<float>("center_y", {.value = 0.f,
                                             .low = -10,
                                             .high = 10,
                                             .help = "what stays, as a share of the height"}))
          .output<Image>("image")
          .checks(check_product)
          .runs([](const Image& in, float x, float y, float center_x, float center_y,
                   Interpolation interpolation, Border border, const FillNumbers& fill,
                   Image& out) {
            kernels::shear(in, {x, y, center_x, center_y},
                           warp_options(interpolation, border, fill), out);
          }),
      [](kernels::ComposedWarp& warp, float x, float y, float center_x, float center_y,
         Interpolation interpolation, Border border, const FillNumbers& fill) {
        warp.check("shear");
        warp.warp("shear",
                  kernels::shear_map(warp.height(), warp.width(), {x, y, center_x, center_y}),
                  warp.height(), warp.width(), warp_options(interpolation, border, fill));
      },
      last_warp_manner);
  return op;
}

Value<Image> shear(Value<Image> image, const ShearOptions& options) {
  return apply_operator<Image>(detail::shear_operator(), image, options.x, options.y,
                               options.center_x, options.center_y, options.interpolation,
                               options.border, detail::numbers_of_fill(options.fill));
}

}  // namespace sluice
