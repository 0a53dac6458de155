// The operators of boxes.h that move boxes and points with their image. The others are in boxes.cpp
// and boxes_regions.cpp.
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/boxes.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/places.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/ops/parameters.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace sluice {
namespace {

using detail::add_size;
using kernels::AffineMap;
using kernels::PerspectiveMap;
using kernels::PlaceFunction;

// The values that move, and the kernels for each kind of map. Each move has an operator for both
// values.
struct Movable {
  template <class Map>
  using Kernel = void (*)(const char* op, const Tensor& in, const Map& map, Tensor& out);

  const char* name;
  Kernel<AffineMap> by_map;
  Kernel<PerspectiveMap> in_perspective;
  Kernel<PlaceFunction> along_curves;

  void operator()(const char* op, const Tensor& in, const AffineMap& map, Tensor& out) const {
    by_map(op, in, map, out);
  }
  void operator()(const char* op, const Tensor& in, const PerspectiveMap& map, Tensor& out) const {
    in_perspective(op, in, map, out);
  }
  void operator()(const char* op, const Tensor& in, const PlaceFunction& place, Tensor& out) const {
    along_curves(op, in, place, out);
  }
};
constexpr std::array<Movable, 2> kMovables = {
    {{"boxes", kernels::move_boxes, kernels::move_boxes_in_perspective,
      kernels::move_boxes_along_curves},
     {"points", kernels::move_points, kernels::move_points_in_perspective,
      kernels::move_points_along_curves}}};

// The two operators of one move. `declare` adds the parameters, and a function with the name of the
// operator.
class Move {
 public:
  template <class Declare>
  Move(const std::string& move, const std::string& example, Declare declare) {
    for (std::size_t i = 0; i < kMovables.size(); ++i) {
      const std::string what = kMovables[i].name;
      OperatorDeclaration declaration(move + "_" + what);
      declaration.family("boxes")
          .summary("Moves " + what + " as " + move + (move == "pad" ? "_image" : "") +
                   " moves their image.")
          .in_cpp(move + "_" + what + "(" + what + example + ")")
          .input<Tensor>(what);
      operators_[i] = declare(declaration, move + "_" + what, kMovables[i]);
    }
  }
  const OperatorPtr& boxes() const { return operators_[0]; }
  const OperatorPtr& points() const { return operators_[1]; }

 private:
  std::array<OperatorPtr, 2> operators_;
};

template <class F>
OperatorPtr moving(OperatorDeclaration& declaration, F f) {
  return declaration.output<Tensor>("moved")
      .infers([](const detail::Arguments&, const std::vector<TensorSpec>&) {
        return std::vector<TensorSpec>{{.dtype = DType::f32, .layout = Layout::none, .rank = 2}};
      })
      .runs(std::move(f));
}

// Returns the parameter range of the operator on images.
ParameterOptions<float> within(float most, const char* help, float value = 0.f) {
  return {.value = value, .low = -most, .high = most, .help = help};
}

const Move& flips() {
  static const Move all(
      "flip", ", {.height = 200, .width = 300}, {.horizontal = g.coin_flip(0.5f)}",
      [](OperatorDeclaration& declaration, const std::string& name, auto move) {
        add_size(declaration)
            .parameter<bool>("horizontal", {.value = true, .help = "swaps left and right"})
            .parameter<bool>("vertical", {.value = false, .help = "swaps top and bottom"});
        return moving(declaration,
                      [name, move](const Tensor& in, std::int32_t height, std::int32_t width,
                                   bool horizontal, bool vertical, Tensor& out) {
                        AffineMap map;
                        if (horizontal) map.xx = -1, map.x0 = width;
                        if (vertical) map.yy = -1, map.y0 = height;
                        move(name.c_str(), in, map, out);
                      });
      });
  return all;
}

const Move& crops() {
  static const Move all(
      "crop", ", region", [](OperatorDeclaration& declaration, const std::string& name, auto move) {
        declaration.parameter<Rectangle>("region", {.help = "the part of the image that is kept"});
        return moving(declaration,
                      [name, move](const Tensor& in, const Rectangle& region, Tensor& out) {
                        if (region.height < 1 || region.width < 1) {
                          throw std::invalid_argument(
                              fmt::format("{}: a region of {} x {} (height x width) is empty", name,
                                          region.height, region.width));
                        }
                        AffineMap map;
                        map.x0 = -static_cast<double>(region.x);
                        map.y0 = -static_cast<double>(region.y);
                        move(name.c_str(), in, map, out);
                      });
      });
  return all;
}

const Move& resizes() {
  static const Move all(
      "resize", ", canvas_size(image), {.height = 300, .width = 300}",
      [](OperatorDeclaration& declaration, const std::string& name, auto move) {
        add_size(add_size(declaration), "to_", false);
        return moving(declaration,
                      [name, move](const Tensor& in, std::int32_t height, std::int32_t width,
                                   std::int32_t to_height, std::int32_t to_width, Tensor& out) {
                        AffineMap map;
                        map.xx = static_cast<double>(to_width) / width;
                        map.yy = static_cast<double>(to_height) / height;
                        move(name.c_str(), in, map, out);
                      });
      });
  return all;
}

const Move& pads() {
  static const Move all(
      "pad", ", {.left = 4, .top = 4}",
      [](OperatorDeclaration& declaration, const std::string& name, auto move) {
        declaration.parameter("left", detail::margin_option("pixels added on the left"))
            .parameter("top", detail::margin_option("pixels added at the top"));
        return moving(declaration, [name, move](const Tensor& in, std::int32_t left,
                                                std::int32_t top, Tensor& out) {
          AffineMap map;
          map.x0 = left;
          map.y0 = top;
          move(name.c_str(), in, map, out);
        });
      });
  return all;
}

const Move& transposes() {
  static const Move all("transpose", "",
                        [](OperatorDeclaration& declaration, const std::string& name, auto move) {
                          return moving(declaration, [name, move](const Tensor& in, Tensor& out) {
                            move(name.c_str(), in, AffineMap{0, 1, 0, 1, 0, 0}, out);
                          });
                        });
  return all;
}

const Move& rotations() {
  static const Move all(
      "rotate", ", canvas_size(image), g.uniform(-10.f, 10.f), {.keep_size = true}",
      [](OperatorDeclaration& declaration, const std::string& name, auto move) {
        add_size(declaration)
            .parameter<float>("degrees", {.help = "counter-clockwise"})
            .constant<bool>("keep_size", {.value = false,
                                          .help = "if false, the image grows to hold all of it"});
        return moving(
            declaration, [name, move](const Tensor& in, std::int32_t height, std::int32_t width,
                                      float degrees, bool keep_size, Tensor& out) {
              kernels::check_finite(name.c_str(), "the angle", degrees);
              const kernels::RotationGeometry rotation =
                  kernels::rotation_geometry_of(height, width, degrees, keep_size);
              move(name.c_str(), in, kernels::inverse(name.c_str(), rotation.from_canvas), out);
            });
      });
  return all;
}

const Move& shears() {
  static const Move all(
      "shear", ", canvas_size(image), {.x = g.uniform(-0.3f, 0.3f)}",
      [](OperatorDeclaration& declaration, const std::string& name, auto move) {
        add_size(declaration)
            .parameter("y", within(1000, "pixels down for each column to the right"))
            .parameter("x", within(1000, "pixels to the right for each row down"))
            .parameter("center_y", within(10, "fixed point, as a fraction of the height"))
            .parameter("center_x", within(10, "fixed point, as a fraction of the width"));
        return moving(declaration, [name, move](const Tensor& in, std::int32_t height,
                                                std::int32_t width, float y, float x,
                                                float center_y, float center_x, Tensor& out) {
          const AffineMap from = kernels::shear_map(height, width, {x, y, center_x, center_y});
          move(name.c_str(), in, kernels::inverse(name.c_str(), from), out);
        });
      });
  return all;
}

const Move& translations() {
  static const Move all(
      "translate", ", canvas_size(image), {.x = g.uniform(-32.f, 32.f)}",
      [](OperatorDeclaration& declaration, const std::string& name, auto move) {
        add_size(declaration)
            .parameter("y", within(65535, "down, in pixels"))
            .parameter("x", within(65535, "to the right, in pixels"))
            .constant<bool>("relative", {.value = false,
                                         .help = "y and x are fractions of the size, not pixels"})
            .constant<bool>("whole_pixels",
                            {.value = false, .help = "distances are rounded toward zero"});
        return moving(declaration, [name, move](const Tensor& in, std::int32_t height,
                                                std::int32_t width, float y, float x, bool relative,
                                                bool whole_pixels, Tensor& out) {
          const AffineMap from =
              kernels::translate_map(height, width, x, y, relative, whole_pixels);
          move(name.c_str(), in, kernels::inverse(name.c_str(), from), out);
        });
      });
  return all;
}

const Move& affines() {
  static const Move all(
      "affine", ", canvas_size(image), {.degrees = g.uniform(-10.f, 10.f), .scale = 1.2f}",
      [](OperatorDeclaration& declaration, const std::string& name, auto move) {
        add_size(declaration)
            .parameter<float>("degrees", {.value = 0.f, .help = "counter-clockwise"})
            .parameter("y", within(65535, "down, in pixels"))
            .parameter("x", within(65535, "to the right, in pixels"))
            .constant<bool>("relative", {.value = false,
                                         .help = "y and x are fractions of the size, not pixels"})
            .parameter<float>("scale", {.value = 1.f,
                                        .low = 0.001,
                                        .high = 1000,
                                        .help = "size of the result / size of the source"})
            .parameter("shear_y", within(89, "degrees by which rows slope down to the right"))
            .parameter("shear_x",
                       within(89, "degrees by which columns lean to the right, going down"))
            .parameter("center_y", within(10, "fixed point, as a fraction of the height", 0.5f))
            .parameter("center_x", within(10, "fixed point, as a fraction of the width", 0.5f));
        return moving(
            declaration,
            [name, move](const Tensor& in, std::int32_t height, std::int32_t width, float degrees,
                         float y, float x, bool relative, float scale, float shear_y, float shear_x,
                         float center_y, float center_x, Tensor& out) {
              const AffineMap from = kernels::affine_map(
                  height, width,
                  {degrees, x, y, relative, scale, shear_x, shear_y, center_x, center_y});
              move(name.c_str(), in, kernels::inverse(name.c_str(), from), out);
            });
      });
  return all;
}

const Move& warps() {
  static const Move all(
      "warp_affine", ", {.xx = 1, .xy = 0.3f}",
      [](OperatorDeclaration& declaration, const std::string& name, auto move) {
        declaration.parameter<float>("xx", {.value = 1.f, .help = "factor of x in the mapped x"})
            .parameter<float>("xy", {.value = 0.f, .help = "factor of y in the mapped x"})
            .parameter<float>("x0", {.value = 0.f, .help = "constant of the mapped x"})
            .parameter<float>("yx", {.value = 0.f, .help = "factor of x in the mapped y"})
            .parameter<float>("yy", {.value = 1.f, .help = "factor of y in the mapped y"})
            .parameter<float>("y0", {.value = 0.f, .help = "constant of the mapped y"})
            .constant<bool>("inverse_map", {.value = true,
                                            .help = "true: the matrix maps output to source, as in "
                                                    "warp_affine; false: source to output"});
        return moving(
            declaration, [name, move](const Tensor& in, float xx, float xy, float x0, float yx,
                                      float yy, float y0, bool inverse_map, Tensor& out) {
              const AffineMap map{xx, xy, x0, yx, yy, y0};
              move(name.c_str(), in, inverse_map ? kernels::inverse(name.c_str(), map) : map, out);
            });
      });
  return all;
}

// Moves by a symmetry of an image of this size.
void move_by(const Movable& move, const std::string& name, const Tensor& in,
             const kernels::Symmetry& symmetry, std::int32_t height, std::int32_t width,
             Tensor& out) {
  move(name.c_str(), in,
       kernels::inverse(name.c_str(), kernels::symmetry_map(symmetry, height, width)), out);
}

const Move& turns() {
  static const Move all(
      "rot90", ", canvas_size(image), randint(g, 0, 4)",
      [](OperatorDeclaration& declaration, const std::string& name, auto move) {
        add_size(declaration)
            .parameter<std::int32_t>(
                "turns", {.help = "quarter turns counter-clockwise; negative ones turn clockwise"});
        return moving(
            declaration, [name, move](const Tensor& in, std::int32_t height, std::int32_t width,
                                      std::int32_t turns, Tensor& out) {
              move_by(move, name, in, kernels::symmetry_of_turns(turns), height, width, out);
            });
      });
  return all;
}

const Move& symmetries() {
  static const Move all(
      "d4", ", canvas_size(image), randint(g, 0, 8)",
      [](OperatorDeclaration& declaration, const std::string& name, auto move) {
        add_size(declaration)
            .parameter<std::int32_t>("element",
                                     {.low = 0,
                                      .high = 7,
                                      .help = "0 to 3: quarter turns counter-clockwise; 4 to 7: a "
                                              "horizontal flip first, then 0 to 3 turns"});
        return moving(declaration,
                      [name, move](const Tensor& in, std::int32_t height, std::int32_t width,
                                   std::int32_t element, Tensor& out) {
                        move_by(move, name, in, kernels::symmetry_of(element), height, width, out);
                      });
      });
  return all;
}

const Move& perspectives() {
  static const Move all(
      "perspective", ", {0, 0, 99, 0, 99, 99, 0, 99}, {9, 0, 90, 9, 99, 99, 0, 90}",
      [](OperatorDeclaration& declaration, const std::string& name, auto move) {
        detail::add_corners(declaration, "from", "in pixels; a point of the image");
        detail::add_corners(declaration, "to", "in pixels; the same point in the result");
        return moving(declaration, [name, move](const Tensor& in, float from_ax, float from_ay,
                                                float from_bx, float from_by, float from_cx,
                                                float from_cy, float from_dx, float from_dy,
                                                float to_ax, float to_ay, float to_bx, float to_by,
                                                float to_cx, float to_cy, float to_dx, float to_dy,
                                                Tensor& out) {
          const kernels::PerspectivePoints from{
              {{from_ax, from_ay}, {from_bx, from_by}, {from_cx, from_cy}, {from_dx, from_dy}}};
          const kernels::PerspectivePoints to{
              {{to_ax, to_ay}, {to_bx, to_by}, {to_cx, to_cy}, {to_dx, to_dy}}};
          const char* const op = name.c_str();
          move(op, in, kernels::inverse_perspective(op, kernels::map_of_points(op, to, from)), out);
        });
      });
  return all;
}

const Move& perspective_warps() {
  static const Move all(
      "warp_perspective", ", {.yy = 0.9f, .wx = 0.001f}",
      [](OperatorDeclaration& declaration, const std::string& name, auto move) {
        detail::add_perspective_matrix(declaration);
        return moving(declaration, [name, move](const Tensor& in, float xx, float xy, float x0,
                                                float yx, float yy, float y0, float wx, float wy,
                                                float w0, Tensor& out) {
          const PerspectiveMap from{xx, xy, x0, yx, yy, y0, wx, wy, w0};
          move(name.c_str(), in, kernels::inverse_perspective(name.c_str(), from), out);
        });
      });
  return all;
}

const Move& lenses() {
  static const Move all(
      "lens_distortion", ", canvas_size(image), {.k1 = 0.3f}",
      [](OperatorDeclaration& declaration, const std::string& name, auto move) {
        add_size(declaration)
            .parameter("k1", within(100, "factor of r^2, where r is 1 at the corners"))
            .parameter("k2", within(100, "factor of r^4"));
        return moving(declaration, [name, move](const Tensor& in, std::int32_t height,
                                                std::int32_t width, float k1, float k2,
                                                Tensor& out) {
          move(name.c_str(), in, kernels::lens_places(name.c_str(), height, width, k1, k2), out);
        });
      });
  return all;
}

template <class... Args>
Value<Tensor> boxes_by(const Move& move, const Args&... args) {
  return apply_operator<Tensor>(move.boxes(), args...);
}
template <class... Args>
Value<Tensor> points_by(const Move& move, const Args&... args) {
  return apply_operator<Tensor>(move.points(), args...);
}

}  // namespace

const std::vector<OperatorPtr>& detail::move_operators() {
  static const std::vector<OperatorPtr> all = [] {
    std::vector<OperatorPtr> operators;
    for (const Move* move : {&flips(), &crops(), &resizes(), &pads(), &transposes(), &rotations(),
                             &shears(), &translations(), &affines(), &warps(), &turns(),
                             &symmetries(), &perspectives(), &perspective_warps(), &lenses()}) {
      operators.push_back(move->boxes());
      operators.push_back(move->points());
    }
    return operators;
  }();
  return all;
}

Value<Tensor> flip_boxes(Value<Tensor> boxes, const CanvasSize& size, const FlipOptions& options) {
  return boxes_by(flips(), boxes, size.height, size.width, options.horizontal, options.vertical);
}
Value<Tensor> flip_points(Value<Tensor> points, const CanvasSize& size,
                          const FlipOptions& options) {
  return points_by(flips(), points, size.height, size.width, options.horizontal, options.vertical);
}

Value<Tensor> crop_boxes(Value<Tensor> boxes, Param<Rectangle> region) {
  return boxes_by(crops(), boxes, region);
}
Value<Tensor> crop_points(Value<Tensor> points, Param<Rectangle> region) {
  return points_by(crops(), points, region);
}

Value<Tensor> resize_boxes(Value<Tensor> boxes, const CanvasSize& size, const CanvasSize& to) {
  return boxes_by(resizes(), boxes, size.height, size.width, to.height, to.width);
}
Value<Tensor> resize_points(Value<Tensor> points, const CanvasSize& size, const CanvasSize& to) {
  return points_by(resizes(), points, size.height, size.width, to.height, to.width);
}

Value<Tensor> pad_boxes(Value<Tensor> boxes, const PadImageOptions& options) {
  return boxes_by(pads(), boxes, options.left, options.top);
}
Value<Tensor> pad_points(Value<Tensor> points, const PadImageOptions& options) {
  return points_by(pads(), points, options.left, options.top);
}

Value<Tensor> transpose_boxes(Value<Tensor> boxes) { return boxes_by(transposes(), boxes); }
Value<Tensor> transpose_points(Value<Tensor> points) { return points_by(transposes(), points); }

Value<Tensor> rotate_boxes(Value<Tensor> boxes, const CanvasSize& size, Param<float> degrees,
                           const RotateOptions& options) {
  return boxes_by(rotations(), boxes, size.height, size.width, degrees, options.keep_size);
}
Value<Tensor> rotate_points(Value<Tensor> points, const CanvasSize& size, Param<float> degrees,
                            const RotateOptions& options) {
  return points_by(rotations(), points, size.height, size.width, degrees, options.keep_size);
}

Value<Tensor> shear_boxes(Value<Tensor> boxes, const CanvasSize& size,
                          const ShearOptions& options) {
  return boxes_by(shears(), boxes, size.height, size.width, options.y, options.x, options.center_y,
                  options.center_x);
}
Value<Tensor> shear_points(Value<Tensor> points, const CanvasSize& size,
                           const ShearOptions& options) {
  return points_by(shears(), points, size.height, size.width, options.y, options.x,
                   options.center_y, options.center_x);
}

Value<Tensor> affine_boxes(Value<Tensor> boxes, const CanvasSize& size, const AffineOptions& o) {
  return boxes_by(affines(), boxes, size.height, size.width, o.degrees, o.y, o.x, o.relative,
                  o.scale, o.shear_y, o.shear_x, o.center_y, o.center_x);
}
Value<Tensor> affine_points(Value<Tensor> points, const CanvasSize& size, const AffineOptions& o) {
  return points_by(affines(), points, size.height, size.width, o.degrees, o.y, o.x, o.relative,
                   o.scale, o.shear_y, o.shear_x, o.center_y, o.center_x);
}

Value<Tensor> translate_boxes(Value<Tensor> boxes, const CanvasSize& size,
                              const TranslateOptions& options) {
  return boxes_by(translations(), boxes, size.height, size.width, options.y, options.x,
                  options.relative, options.whole_pixels);
}
Value<Tensor> translate_points(Value<Tensor> points, const CanvasSize& size,
                               const TranslateOptions& options) {
  return points_by(translations(), points, size.height, size.width, options.y, options.x,
                   options.relative, options.whole_pixels);
}

Value<Tensor> warp_affine_boxes(Value<Tensor> boxes, const AffineMatrix& matrix,
                                const WarpAffineOptions& options) {
  return boxes_by(warps(), boxes, matrix.xx, matrix.xy, matrix.x0, matrix.yx, matrix.yy, matrix.y0,
                  options.inverse_map);
}
Value<Tensor> warp_affine_points(Value<Tensor> points, const AffineMatrix& matrix,
                                 const WarpAffineOptions& options) {
  return points_by(warps(), points, matrix.xx, matrix.xy, matrix.x0, matrix.yx, matrix.yy,
                   matrix.y0, options.inverse_map);
}

Value<Tensor> rot90_boxes(Value<Tensor> boxes, const CanvasSize& size, Param<std::int32_t> turn) {
  return boxes_by(turns(), boxes, size.height, size.width, turn);
}
Value<Tensor> rot90_points(Value<Tensor> points, const CanvasSize& size, Param<std::int32_t> turn) {
  return points_by(turns(), points, size.height, size.width, turn);
}

Value<Tensor> d4_boxes(Value<Tensor> boxes, const CanvasSize& size, Param<std::int32_t> element) {
  return boxes_by(symmetries(), boxes, size.height, size.width, element);
}
Value<Tensor> d4_points(Value<Tensor> points, const CanvasSize& size, Param<std::int32_t> element) {
  return points_by(symmetries(), points, size.height, size.width, element);
}

namespace {

Value<Tensor> by_corners(const OperatorPtr& op, const Value<Tensor>& of, const Corners& from,
                         const Corners& to) {
  return apply_operator<Tensor>(op, of, from.top_left_x, from.top_left_y, from.top_right_x,
                                from.top_right_y, from.bottom_right_x, from.bottom_right_y,
                                from.bottom_left_x, from.bottom_left_y, to.top_left_x,
                                to.top_left_y, to.top_right_x, to.top_right_y, to.bottom_right_x,
                                to.bottom_right_y, to.bottom_left_x, to.bottom_left_y);
}

Value<Tensor> by_matrix(const OperatorPtr& op, const Value<Tensor>& of,
                        const PerspectiveMatrix& m) {
  return apply_operator<Tensor>(op, of, m.xx, m.xy, m.x0, m.yx, m.yy, m.y0, m.wx, m.wy, m.w0);
}

}  // namespace

Value<Tensor> perspective_boxes(Value<Tensor> boxes, const Corners& from, const Corners& to) {
  return by_corners(perspectives().boxes(), boxes, from, to);
}
Value<Tensor> perspective_points(Value<Tensor> points, const Corners& from, const Corners& to) {
  return by_corners(perspectives().points(), points, from, to);
}

Value<Tensor> warp_perspective_boxes(Value<Tensor> boxes, const PerspectiveMatrix& matrix) {
  return by_matrix(perspective_warps().boxes(), boxes, matrix);
}
Value<Tensor> warp_perspective_points(Value<Tensor> points, const PerspectiveMatrix& matrix) {
  return by_matrix(perspective_warps().points(), points, matrix);
}

Value<Tensor> lens_distortion_boxes(Value<Tensor> boxes, const CanvasSize& size,
                                    const LensDistortionOptions& options) {
  return boxes_by(lenses(), boxes, size.height, size.width, options.k1, options.k2);
}
Value<Tensor> lens_distortion_points(Value<Tensor> points, const CanvasSize& size,
                                     const LensDistortionOptions& options) {
  return points_by(lenses(), points, size.height, size.width, options.k1, options.k2);
}

}  // namespace sluice
