#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/geometry/warp_options.h>
#include <sluice/ops/kernels/perspective.h>

#include <cstdint>
#include <string>

namespace sluice {
namespace {

constexpr double kFar = 1e6;

ParameterOptions<float> a_place(const char* help) {
  return {.low = -kFar, .high = kFar, .help = help};
}

OperatorDeclaration with_corners(OperatorDeclaration declaration, const char* which,
                                 const char* help) {
  for (const char* corner : {"top_left", "top_right", "bottom_right", "bottom_left"}) {
    for (const char* axis : {"x", "y"})
      declaration.parameter(std::string(which) + "_" + corner + "_" + axis, a_place(help));
  }
  return declaration;
}

}  // namespace

namespace detail {

const OperatorPtr& perspective_operator() {
  static const OperatorPtr op =
      with_warp_options(
          with_corners(
              with_corners(
                  declare_operator("perspective")
                      .family("geometry")
                      .summary("As from another point of view: four places come to others.")
                      .in_cpp("perspective(image, {0, 0, 99, 0, 99, 99, 0, 99}, "
                              "{9, 0, 90, 9, 99, 99, 0, 90})")
                      .input<Image>("image"),
                  "from", "in pixels; a place of the picture"),
              "to", "in pixels; where it comes to"))
          .output<Image>("image")
          .runs([](const Image& in, float from_ax, float from_ay, float from_bx, float from_by,
                   float from_cx, float from_cy, float from_dx, float from_dy, float to_ax,
                   float to_ay, float to_bx, float to_by, float to_cx, float to_cy, float to_dx,
                   float to_dy, Interpolation interpolation, Border border, const FillNumbers& fill,
                   Image& out) {
            const kernels::PerspectivePoints from{
                {{from_ax, from_ay}, {from_bx, from_by}, {from_cx, from_cy}, {from_dx, from_dy}}};
            const kernels::PerspectivePoints to{
                {{to_ax, to_ay}, {to_bx, to_by}, {to_cx, to_cy}, {to_dx, to_dy}}};
            kernels::warp_perspective("perspective", in,
                                      kernels::map_of_points("perspective", to, from), in.height(),
                                      in.width(), warp_options(interpolation, border, fill), out);
          });
  return op;
}

const OperatorPtr& warp_perspective_operator() {
  static const OperatorPtr op =
      with_warp_options(
          with_matrix(declare_operator("warp_perspective")
                          .family("geometry")
                          .summary("Pixels from where a 3 x 3 matrix leads.")
                          .in_cpp("warp_perspective(image, {.yy = 0.9f, .wx = 0.001f}, {.width = "
                                  "224, .height = 224})")
                          .input<Image>("image"))
              .parameter("wx", a_number(0, "of what both are divided by, for each x"))
              .parameter("wy", a_number(0, "of what both are divided by, for each y"))
              .parameter("w0", a_number(1, "of what both are divided by, for the corner"))
              .parameter("height", warped_size())
              .parameter("width", warped_size()))
          .output<Image>("image")
          .runs([](const Image& in, float xx, float xy, float x0, float yx, float yy, float y0,
                   float wx, float wy, float w0, std::int32_t height, std::int32_t width,
                   Interpolation interpolation, Border border, const FillNumbers& fill,
                   Image& out) {
            kernels::warp_perspective("warp_perspective", in, {xx, xy, x0, yx, yy, y0, wx, wy, w0},
                                      height != 0 ? height : in.height(),
                                      width != 0 ? width : in.width(),
                                      warp_options(interpolation, border, fill), out);
          });
  return op;
}

}  // namespace detail

Value<Image> perspective(Value<Image> image, const Corners& from, const Corners& to,
                         const PerspectiveOptions& options) {
  return apply_operator<Image>(
      detail::perspective_operator(), image, from.top_left_x, from.top_left_y, from.top_right_x,
      from.top_right_y, from.bottom_right_x, from.bottom_right_y, from.bottom_left_x,
      from.bottom_left_y, to.top_left_x, to.top_left_y, to.top_right_x, to.top_right_y,
      to.bottom_right_x, to.bottom_right_y, to.bottom_left_x, to.bottom_left_y,
      options.interpolation, options.border, detail::numbers_of_fill(options.fill));
}

Value<Image> warp_perspective(Value<Image> image, const PerspectiveMatrix& m,
                              const WarpPerspectiveOptions& options) {
  return apply_operator<Image>(detail::warp_perspective_operator(), image, m.xx, m.xy, m.x0, m.yx,
                               m.yy, m.y0, m.wx, m.wy, m.w0, options.height, options.width,
                               options.interpolation, options.border,
                               detail::numbers_of_fill(options.fill));
}

}  // namespace sluice
