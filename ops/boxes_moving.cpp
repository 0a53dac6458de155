// The operators of boxes.h that move boxes and points with their image, and those that draw or
// compute regions. The others are in boxes.cpp.
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/boxes.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/ops/parameters.h>
#include <sluice/runtime/error.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

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
          .summary("Moves " + what + " as " + move + (move == "pad" ? "_image" : "") +
                   " moves their image.")
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
                             &shears(), &translations(), &affines(), &warps()}) {
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

namespace {

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
