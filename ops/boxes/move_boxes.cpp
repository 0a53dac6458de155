#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/boxes/size_parameters.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/boxes.h>
#include <sluice/ops/kernels/shear.h>
#include <sluice/ops/kernels/translate.h>
#include <sluice/ops/kernels/turn.h>
#include <sluice/ops/kernels/warp_affine.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace sluice {
namespace {

using detail::add_size;
using kernels::AffineMap;

// The values that move. Each move has an operator for both.
struct Movable {
  const char* name;
  void (*move)(const char* op, const Tensor& in, const AffineMap& map, Tensor& out);
};
constexpr std::array<Movable, 2> kMovables = {
    {{"boxes", kernels::move_boxes}, {"points", kernels::move_points}}};

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
          .summary((i == 0 ? "Boxes" : "Points") + (" that move as " + move) +
                   (move == "pad" ? "_image" : "") + " moves their picture.")
          .in_cpp(move + "_" + what + "(" + what + example + ")")
          .input<Tensor>(what);
      operators_[i] = declare(declaration, move + "_" + what, kMovables[i].move);
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

ParameterOptions<std::int32_t> margin(const char* help) {
  return {.value = 0, .low = 0, .high = 65535, .help = help};
}

// Returns the parameter range of the operator on images.
ParameterOptions<float> within(float most, const char* help) {
  return {.value = 0.f, .low = -most, .high = most, .help = help};
}

const Move& flips() {
  static const Move all(
      "flip", ", {.width = 300, .height = 200}, {.horizontal = g.coin_flip(0.5f)}",
      [](OperatorDeclaration& declaration, const std::string& name, auto move) {
        add_size(declaration)
            .parameter<bool>("horizontal", {.value = true, .help = "left and right"})
            .parameter<bool>("vertical", {.value = false, .help = "top and bottom"});
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
        declaration.parameter<Rectangle>("region", {.help = "of the picture"});
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
      "resize", ", canvas_size(image), {.width = 300, .height = 300}",
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
        declaration.parameter("left", margin("pixels")).parameter("top", margin("pixels"));
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
                            move(name.c_str(), in, {0, 1, 0, 1, 0, 0}, out);
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
            .constant<bool>("keep_size",
                            {.value = false, .help = "else the picture grows to hold all of it"});
        return moving(
            declaration, [name, move](const Tensor& in, std::int32_t height, std::int32_t width,
                                      float degrees, bool keep_size, Tensor& out) {
              kernels::check_finite(name.c_str(), "the angle", degrees);
              const kernels::Turn turn = kernels::turn_of(height, width, degrees, keep_size);
              move(name.c_str(), in, kernels::inverse(name.c_str(), turn.from_canvas), out);
            });
      });
  return all;
}

const Move& shears() {
  static const Move all(
      "shear", ", canvas_size(image), {.x = g.uniform(-0.3f, 0.3f)}",
      [](OperatorDeclaration& declaration, const std::string& name, auto move) {
        add_size(declaration)
            .parameter("x", within(1000, "pixels across, for each down"))
            .parameter("y", within(1000, "pixels down, for each across"))
            .parameter("center_x", within(10, "what stays: as a share of the width"))
            .parameter("center_y", within(10, "what stays: as a share of the height"));
        return moving(declaration, [name, move](const Tensor& in, std::int32_t height,
                                                std::int32_t width, float x, float y,
                                                float center_x, float center_y, Tensor& out) {
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
            .parameter("x", within(65535, "to the right"))
            .parameter("y", within(65535, "down"))
            .constant<bool>("relative",
                            {.value = false, .help = "x and y are shares of the size, not pixels"});
        return moving(
            declaration, [name, move](const Tensor& in, std::int32_t height, std::int32_t width,
                                      float x, float y, bool relative, Tensor& out) {
              const AffineMap from = kernels::translate_map(height, width, x, y, relative);
              move(name.c_str(), in, kernels::inverse(name.c_str(), from), out);
            });
      });
  return all;
}

const Move& warps() {
  static const Move all(
      "warp_affine", ", {.xx = 1, .xy = 0.3f}",
      [](OperatorDeclaration& declaration, const std::string& name, auto move) {
        declaration.parameter<float>("xx", {.value = 1.f, .help = "x, for each x"})
            .parameter<float>("xy", {.value = 0.f, .help = "x, for each y"})
            .parameter<float>("x0", {.value = 0.f, .help = "x, for the corner"})
            .parameter<float>("yx", {.value = 0.f, .help = "y, for each x"})
            .parameter<float>("yy", {.value = 1.f, .help = "y, for each y"})
            .parameter<float>("y0", {.value = 0.f, .help = "y, for the corner"})
            .constant<bool>("inverse_map",
                            {.value = true,
                             .help = "the matrix leads from the output to the source, as that of "
                                     "warp_affine; else from the source to the output"});
        return moving(
            declaration, [name, move](const Tensor& in, float xx, float xy, float x0, float yx,
                                      float yy, float y0, bool inverse_map, Tensor& out) {
              const AffineMap map{xx, xy, x0, yx, yy, y0};
              move(name.c_str(), in, inverse_map ? kernels::inverse(name.c_str(), map) : map, out);
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
                             &shears(), &translations(), &warps()}) {
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
  return boxes_by(shears(), boxes, size.height, size.width, options.x, options.y, options.center_x,
                  options.center_y);
}
Value<Tensor> shear_points(Value<Tensor> points, const CanvasSize& size,
                           const ShearOptions& options) {
  return points_by(shears(), points, size.height, size.width, options.x, options.y,
                   options.center_x, options.center_y);
}

Value<Tensor> translate_boxes(Value<Tensor> boxes, const CanvasSize& size,
                              const TranslateOptions& options) {
  return boxes_by(translations(), boxes, size.height, size.width, options.x, options.y,
                  options.relative);
}
Value<Tensor> translate_points(Value<Tensor> points, const CanvasSize& size,
                               const TranslateOptions& options) {
  return points_by(translations(), points, size.height, size.width, options.x, options.y,
                   options.relative);
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

}  // namespace sluice
