// The operators of geometry.h that compute a source position for each pixel: elastic,
// affine, d4, lens_distortion, perspective, random_perspective, rot90, rotate, shear, translate,
// warp_affine. The others are in geometry.cpp.
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/places.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/ops/lazy_image.h>
#include <sluice/ops/parameters.h>
#include <sluice/runtime/error.h>

#include <cmath>
#include <cstdint>
#include <string>

namespace sluice {

const detail::OperatorPtr& detail::elastic_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("elastic");
    declaration.family("geometry")
        .summary("Deforms the image by a smoothed random displacement field.")
        .in_cpp("elastic(image, {.alpha = 100.f, .sigma = 6.f})")
        .input<Image>("image");
    add_elastic_options(declaration);
    return with_warp_options(declaration)
        .output<Image>("image")
        .runs([](Random& random, const Image& in, float alpha, float sigma,
                 Interpolation interpolation, Border border, const FillNumbers& fill, Image& out) {
          kernels::elastic(random, in, {alpha, sigma}, warp_options(interpolation, border, fill),
                           out);
        });
  }();
  return op;
}

Value<Image> elastic(Value<Image> image, const ElasticOptions& options) {
  return apply_operator<Image>(detail::elastic_operator(), image, options.alpha, options.sigma,
                               options.interpolation, options.border,
                               detail::numbers_of_fill(options.fill));
}

namespace {

ParameterOptions<float> bend(const char* help) {
  return {.value = 0.f, .low = -100, .high = 100, .help = help};
}
// The distances of translate and affine.
OperatorDeclaration with_shift(OperatorDeclaration declaration) {
  constexpr int kMost = 65535;
  return declaration
      .parameter<float>("y",
                        {.value = 0.f, .low = -kMost, .high = kMost, .help = "down, in pixels"})
      .parameter<float>(
          "x", {.value = 0.f, .low = -kMost, .high = kMost, .help = "to the right, in pixels"})
      .constant<bool>(
          "relative",
          {.value = false, .help = "y and x are fractions of height and width, not pixels"});
}
ParameterOptions<float> shear_angle(const char* help) {
  return {.value = 0.f, .low = -89, .high = 89, .help = help};
}

}  // namespace

const detail::OperatorPtr& detail::lens_distortion_operator() {
  static const OperatorPtr op =
      with_warp_options(declare_operator("lens_distortion")
                            .family("geometry")
                            .summary("Applies the radial distortion of a simple lens.")
                            .in_cpp("lens_distortion(image, {.k1 = 0.3f})")
                            .input<Image>("image")
                            .parameter("k1", bend("factor of r^2, where r is 1 at the corners"))
                            .parameter("k2", bend("factor of r^4")))
          .output<Image>("image")
          .runs([](const Image& in, float k1, float k2, Interpolation interpolation, Border border,
                   const FillNumbers& fill, Image& out) {
            kernels::lens_distortion(in, k1, k2, warp_options(interpolation, border, fill), out);
          });
  return op;
}

Value<Image> lens_distortion(Value<Image> image, const LensDistortionOptions& options) {
  return apply_operator<Image>(detail::lens_distortion_operator(), image, options.k1, options.k2,
                               options.interpolation, options.border,
                               detail::numbers_of_fill(options.fill));
}

namespace detail {

const OperatorPtr& perspective_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("perspective");
    declaration.family("geometry")
        .summary("Applies the perspective transform that moves four points to four others.")
        .in_cpp("perspective(image, {0, 0, 99, 0, 99, 99, 0, 99}, {9, 0, 90, 9, 99, 99, 0, 90})")
        .input<Image>("image");
    add_corners(declaration, "from", "in pixels; a point of the image");
    add_corners(declaration, "to", "in pixels; the same point in the result");
    return with_warp_options(declaration)
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
  }();
  return op;
}

const OperatorPtr& random_perspective_operator() {
  static const OperatorPtr op =
      with_warp_options(
          declare_operator("random_perspective")
              .family("geometry")
              .summary("Moves the four corners inward by random distances, in perspective.")
              .in_cpp("random_perspective(image, {.distortion_scale = 0.3f, .probability = 1.f})")
              .input<Image>("image")
              .parameter<float>("distortion_scale",
                                {.value = 0.5f,
                                 .low = 0,
                                 .high = 1,
                                 .help = "largest distance / half of the width or height"})
              .parameter<float>("probability", {.value = 0.5f,
                                                .low = 0,
                                                .high = 1,
                                                .help = "probability that the image changes"}))
          .output<Image>("image")
          .runs([](Random& random, const Image& in, float distortion_scale, float probability,
                   Interpolation interpolation, Border border, const FillNumbers& fill,
                   Image& out) {
            kernels::random_perspective(random, in, {distortion_scale, probability},
                                        warp_options(interpolation, border, fill), out);
          });
  return op;
}

const OperatorPtr& warp_perspective_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("warp_perspective");
    declaration.family("geometry")
        .summary("Warps the image by a 3 x 3 perspective matrix.")
        .in_cpp(
            "warp_perspective(image, {.yy = 0.9f, .wx = 0.001f}, {.height = 224, .width = 224})")
        .input<Image>("image");
    add_perspective_matrix(declaration)
        .parameter("height", warped_size())
        .parameter("width", warped_size());
    return with_warp_options(declaration)
        .output<Image>("image")
        .runs([](const Image& in, float xx, float xy, float x0, float yx, float yy, float y0,
                 float wx, float wy, float w0, std::int32_t height, std::int32_t width,
                 Interpolation interpolation, Border border, const FillNumbers& fill, Image& out) {
          kernels::warp_perspective("warp_perspective", in, {xx, xy, x0, yx, yy, y0, wx, wy, w0},
                                    height != 0 ? height : in.height(),
                                    width != 0 ? width : in.width(),
                                    warp_options(interpolation, border, fill), out);
        });
  }();
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

Value<Image> random_perspective(Value<Image> image, const RandomPerspectiveOptions& options) {
  return apply_operator<Image>(detail::random_perspective_operator(), image,
                               options.distortion_scale, options.probability, options.interpolation,
                               options.border, detail::numbers_of_fill(options.fill));
}

Value<Image> warp_perspective(Value<Image> image, const PerspectiveMatrix& m,
                              const WarpPerspectiveOptions& options) {
  return apply_operator<Image>(detail::warp_perspective_operator(), image, m.xx, m.xy, m.x0, m.yx,
                               m.yy, m.y0, m.wx, m.wy, m.w0, options.height, options.width,
                               options.interpolation, options.border,
                               detail::numbers_of_fill(options.fill));
}

Fill detail::fill_of(const FillNumbers& numbers) {
  const auto level = [&](std::size_t c) { return static_cast<int>(std::lround(numbers.at(c))); };
  return {level(0), level(1), level(2), level(3)};
}

const detail::OperatorPtr& detail::rot90_operator() {
  static const OperatorPtr op =
      declare_operator("rot90")
          .family("geometry")
          .summary("Turns the image by multiples of 90 degrees.")
          .in_cpp("rot90(image, randint(g, 0, 4))")
          .input<Image>("image")
          .parameter<std::int32_t>(
              "turns", {.help = "quarter turns counter-clockwise; negative ones turn clockwise"})
          .output<Image>("image")
          .composes(composes_warp(
              [](kernels::ComposedWarp& warp, std::int32_t turns) {
                warp.move("rot90", kernels::symmetry_of_turns(turns));
              },
              nullptr))
          .runs([](const Image& in, std::int32_t turns, Image& out) {
            kernels::rot90(in, turns, out);
          });
  return op;
}

Value<Image> rot90(Value<Image> image, Param<std::int32_t> turns) {
  return apply_operator<Image>(detail::rot90_operator(), image, turns);
}

const detail::OperatorPtr& detail::d4_operator() {
  static const OperatorPtr op =
      declare_operator("d4")
          .family("geometry")
          .summary("Applies one of the eight symmetries of a square: turns and flips.")
          .in_cpp("d4(image, randint(g, 0, 8))")
          .input<Image>("image")
          .parameter<std::int32_t>("element",
                                   {.low = 0,
                                    .high = 7,
                                    .help = "0 to 3: quarter turns counter-clockwise; 4 to 7: a "
                                            "horizontal flip first, then 0 to 3 turns"})
          .output<Image>("image")
          .composes(composes_warp(
              [](kernels::ComposedWarp& warp, std::int32_t element) {
                warp.move("d4", kernels::symmetry_of(element));
              },
              nullptr))
          .runs([](const Image& in, std::int32_t element, Image& out) {
            kernels::d4(in, element, out);
          });
  return op;
}

Value<Image> d4(Value<Image> image, Param<std::int32_t> element) {
  return apply_operator<Image>(detail::d4_operator(), image, element);
}

const detail::OperatorPtr& detail::rotate_operator() {
  static const OperatorPtr op =
      declare_operator("rotate")
          .family("geometry")
          .summary("Rotates the image counter-clockwise about its center.")
          .in_cpp("rotate(image, g.uniform(-10.f, 10.f), {.keep_size = true})")
          .input<Image>("image")
          .parameter<float>("degrees", {.help = "counter-clockwise"})
          .constant<bool>("keep_size",
                          {.value = false, .help = "if false, the image grows to hold all of it"})
          .parameter("fill", fill_option("color for border = constant, for each channel"))
          .choice("interpolation", Interpolation::bilinear, warp_interpolations(),
                  "how values between pixels are computed")
          .choice("border", Border::constant, {Border::constant, Border::edge},
                  "pixels without a source get the fill or the nearest pixel")
          .output<Image>("image")
          .composes(composes_warp(
              [](kernels::ComposedWarp& warp, float degrees, bool keep_size,
                 const FillNumbers& fill, Interpolation interpolation, Border border) {
                warp.rotate(degrees, {keep_size, detail::fill_of(fill), interpolation, border});
              },
              [](const Arguments& arguments) {
                return warp_manner(arguments.at(4), arguments.at(5), arguments.at(3));
              }))
          .runs([](const Image& in, float degrees, bool keep_size, const FillNumbers& fill,
                   Interpolation interpolation, Border border, Image& out) {
            kernels::rotate(in, degrees, {keep_size, detail::fill_of(fill), interpolation, border},
                            out);
          });
  return op;
}

Value<Image> rotate(Value<Image> image, Param<float> degrees, const RotateOptions& options) {
  return apply_operator<Image>(detail::rotate_operator(), image, degrees, options.keep_size,
                               detail::numbers_of_fill(options.fill), options.interpolation,
                               options.border);
}

namespace {

// y and x come after the input.
void check_product(const detail::Arguments& arguments) {
  const auto* y = detail::constant_of<float>(arguments.at(1));
  const auto* x = detail::constant_of<float>(arguments.at(2));
  if (x == nullptr || y == nullptr || static_cast<double>(*x) * static_cast<double>(*y) != 1.0)
    return;
  throw BuildError("shear: x * y must not be 1, which collapses the image to a line");
}

}  // namespace

const detail::OperatorPtr& detail::shear_operator() {
  static const OperatorPtr op =
      with_warp_options(
          declare_operator("shear")
              .family("geometry")
              .summary("Shears the image along x, y or both.")
              .in_cpp("shear(image, {.x = g.uniform(-0.3f, 0.3f)})")
              .input<Image>("image")
              .parameter<float>("y", {.value = 0.f,
                                      .low = -1000,
                                      .high = 1000,
                                      .help = "pixels down, for each column to the right"})
              .parameter<float>("x", {.value = 0.f,
                                      .low = -1000,
                                      .high = 1000,
                                      .help = "pixels to the right, for each row down"})
              .parameter<float>("center_y", {.value = 0.f,
                                             .low = -10,
                                             .high = 10,
                                             .help = "fixed point, as a fraction of the height"})
              .parameter<float>("center_x", {.value = 0.f,
                                             .low = -10,
                                             .high = 10,
                                             .help = "fixed point, as a fraction of the width"}))
          .output<Image>("image")
          .checks(check_product)
          .composes(composes_warp(
              [](kernels::ComposedWarp& warp, float y, float x, float center_y, float center_x,
                 Interpolation interpolation, Border border, const FillNumbers& fill) {
                warp.check("shear");
                warp.warp(
                    "shear",
                    kernels::shear_map(warp.height(), warp.width(), {x, y, center_x, center_y}),
                    warp.height(), warp.width(), warp_options(interpolation, border, fill));
              },
              last_warp_manner))
          .runs([](const Image& in, float y, float x, float center_y, float center_x,
                   Interpolation interpolation, Border border, const FillNumbers& fill,
                   Image& out) {
            kernels::shear(in, {x, y, center_x, center_y},
                           warp_options(interpolation, border, fill), out);
          });
  return op;
}

Value<Image> shear(Value<Image> image, const ShearOptions& options) {
  return apply_operator<Image>(detail::shear_operator(), image, options.y, options.x,
                               options.center_y, options.center_x, options.interpolation,
                               options.border, detail::numbers_of_fill(options.fill));
}

const detail::OperatorPtr& detail::translate_operator() {
  static const OperatorPtr op =
      with_warp_options(
          with_shift(declare_operator("translate")
                         .family("geometry")
                         .summary("Shifts the image by (x, y); the size stays the same.")
                         .in_cpp("translate(image, {.x = g.uniform(-32.f, 32.f)})")
                         .input<Image>("image"))
              .constant<bool>("whole_pixels",
                              {.value = false, .help = "distances are rounded toward zero"}))
          .output<Image>("image")
          .composes(composes_warp(
              [](kernels::ComposedWarp& warp, float y, float x, bool relative, bool whole_pixels,
                 Interpolation interpolation, Border border, const FillNumbers& fill) {
                warp.check("translate");
                warp.warp("translate",
                          kernels::translate_map(warp.height(), warp.width(), x, y, relative,
                                                 whole_pixels),
                          warp.height(), warp.width(), warp_options(interpolation, border, fill));
              },
              last_warp_manner))
          .runs([](const Image& in, float y, float x, bool relative, bool whole_pixels,
                   Interpolation interpolation, Border border, const FillNumbers& fill,
                   Image& out) {
            kernels::translate(in, x, y, relative, warp_options(interpolation, border, fill), out,
                               whole_pixels);
          });
  return op;
}

Value<Image> translate(Value<Image> image, const TranslateOptions& options) {
  return apply_operator<Image>(detail::translate_operator(), image, options.y, options.x,
                               options.relative, options.whole_pixels, options.interpolation,
                               options.border, detail::numbers_of_fill(options.fill));
}

const detail::OperatorPtr& detail::affine_operator() {
  static const OperatorPtr op =
      with_warp_options(
          with_shift(
              declare_operator("affine")
                  .family("geometry")
                  .summary("Shears, scales, rotates and moves the image in one warp.")
                  .in_cpp("affine(image, {.degrees = g.uniform(-10.f, 10.f), .scale = 1.2f})")
                  .input<Image>("image")
                  .parameter<float>("degrees", {.value = 0.f, .help = "counter-clockwise"}))
              .parameter<float>("scale", {.value = 1.f,
                                          .low = 0.001,
                                          .high = 1000,
                                          .help = "size of the result / size of the source"})
              .parameter("shear_y", shear_angle("degrees by which rows slope down to the right"))
              .parameter("shear_x",
                         shear_angle("degrees by which columns lean to the right, going down"))
              .parameter<float>("center_y", {.value = 0.5f,
                                             .low = -10,
                                             .high = 10,
                                             .help = "fixed point, as a fraction of the height"})
              .parameter<float>("center_x", {.value = 0.5f,
                                             .low = -10,
                                             .high = 10,
                                             .help = "fixed point, as a fraction of the width"}))
          .output<Image>("image")
          .composes(composes_warp(
              [](kernels::ComposedWarp& warp, float degrees, float y, float x, bool relative,
                 float scale, float shear_y, float shear_x, float center_y, float center_x,
                 Interpolation interpolation, Border border, const FillNumbers& fill) {
                warp.check("affine");
                warp.warp("affine",
                          kernels::affine_map(warp.height(), warp.width(),
                                              {degrees, x, y, relative, scale, shear_x, shear_y,
                                               center_x, center_y}),
                          warp.height(), warp.width(), warp_options(interpolation, border, fill));
              },
              last_warp_manner))
          .runs([](const Image& in, float degrees, float y, float x, bool relative, float scale,
                   float shear_y, float shear_x, float center_y, float center_x,
                   Interpolation interpolation, Border border, const FillNumbers& fill,
                   Image& out) {
            kernels::affine(in,
                            {degrees, x, y, relative, scale, shear_x, shear_y, center_x, center_y},
                            warp_options(interpolation, border, fill), out);
          });
  return op;
}

Value<Image> affine(Value<Image> image, const AffineOptions& options) {
  return apply_operator<Image>(
      detail::affine_operator(), image, options.degrees, options.y, options.x, options.relative,
      options.scale, options.shear_y, options.shear_x, options.center_y, options.center_x,
      options.interpolation, options.border, detail::numbers_of_fill(options.fill));
}

namespace {

// The numbers follow the input; inverse_map comes after them and the size.
void check_matrix(const detail::Arguments& arguments) {
  const auto* inverse_map = detail::constant_of<bool>(arguments.at(9));
  if (inverse_map == nullptr || *inverse_map) return;
  double numbers[6];
  for (std::size_t i = 0; i < 6; ++i) {
    const auto* number = detail::constant_of<float>(arguments.at(1 + i));
    if (number == nullptr) return;
    numbers[i] = static_cast<double>(*number);
  }
  (void)kernels::inverse("warp_affine",
                         {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]});
}

}  // namespace

const detail::OperatorPtr& detail::warp_affine_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("warp_affine");
    declaration.family("geometry")
        .summary("Warps the image by a 2 x 3 affine matrix.")
        .in_cpp("warp_affine(image, {.xx = 1, .xy = 0.3f}, {.height = 224, .width = 224})")
        .input<Image>("image");
    add_matrix(declaration)
        .parameter("height", warped_size())
        .parameter("width", warped_size())
        .constant<bool>(
            "inverse_map",
            {.value = true,
             .help = "true: the matrix maps output to source; false: source to output"});
    return with_warp_options(declaration)
        .output<Image>("image")
        .checks(check_matrix)
        .composes(composes_warp(
            [](kernels::ComposedWarp& warp, float xx, float xy, float x0, float yx, float yy,
               float y0, std::int32_t height, std::int32_t width, bool inverse_map,
               Interpolation interpolation, Border border, const FillNumbers& fill) {
              const kernels::AffineMap map{xx, xy, x0, yx, yy, y0};
              warp.warp("warp_affine", inverse_map ? map : kernels::inverse("warp_affine", map),
                        height != 0 ? height : warp.height(), width != 0 ? width : warp.width(),
                        warp_options(interpolation, border, fill));
            },
            last_warp_manner))
        .runs([](const Image& in, float xx, float xy, float x0, float yx, float yy, float y0,
                 std::int32_t height, std::int32_t width, bool inverse_map,
                 Interpolation interpolation, Border border, const FillNumbers& fill, Image& out) {
          const kernels::AffineMap map{xx, xy, x0, yx, yy, y0};
          kernels::warp_affine("warp_affine", in,
                               inverse_map ? map : kernels::inverse("warp_affine", map),
                               height != 0 ? height : in.height(), width != 0 ? width : in.width(),
                               warp_options(interpolation, border, fill), out);
        });
  }();
  return op;
}

Value<Image> warp_affine(Value<Image> image, const AffineMatrix& matrix,
                         const WarpAffineOptions& options) {
  return apply_operator<Image>(detail::warp_affine_operator(), image, matrix.xx, matrix.xy,
                               matrix.x0, matrix.yx, matrix.yy, matrix.y0, options.height,
                               options.width, options.inverse_map, options.interpolation,
                               options.border, detail::numbers_of_fill(options.fill));
}

}  // namespace sluice
