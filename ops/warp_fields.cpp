#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/kernels/boxes.h>
#include <sluice/ops/kernels/warp_fields.h>
#include <sluice/ops/parameters.h>
#include <sluice/ops/warp_fields.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sluice {
namespace {

using detail::add_size;

std::vector<TensorSpec> field_spec(const detail::Arguments&, const std::vector<TensorSpec>&) {
  return {{.dtype = DType::f32, .layout = Layout::none, .rank = 3}};
}
std::vector<TensorSpec> rows_spec(const detail::Arguments&, const std::vector<TensorSpec>&) {
  return {{.dtype = DType::f32, .layout = Layout::none, .rank = 2}};
}

OperatorDeclaration& add_grid_options(OperatorDeclaration& declaration) {
  return declaration
      .parameter<std::int32_t>(
          "steps",
          {.value = 5, .low = 1, .high = kernels::kMostGridSteps, .help = "cells along each side"})
      .parameter<float>("limit", {.value = 0.3f,
                                  .low = 0,
                                  .high = static_cast<double>(kernels::kLargestGridLimit),
                                  .help = "largest change of a cell's width and height, as a "
                                          "fraction of them"});
}

OperatorPtr moving(const std::string& what,
                   void (*move)(const char* op, const Tensor& in,
                                const kernels::PlaceFunction& place, Tensor& out)) {
  const std::string name = "remap_" + what;
  OperatorDeclaration declaration(name);
  return declaration.family("boxes")
      .summary("Moves " + what + " as remap moves their image.")
      .in_cpp(name + "(" + what + ", elastic_field(g, canvas_size(image)))")
      .input<Tensor>(what)
      .input<Tensor>("field")
      .output<Tensor>("moved")
      .infers(rows_spec)
      .runs([name, move](const Tensor& in, const Tensor& field, Tensor& out) {
        move(name.c_str(), in, kernels::field_places(name.c_str(), field), out);
      });
}

}  // namespace

namespace detail {

const OperatorPtr& elastic_field_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("elastic_field");
    declaration.family("geometry")
        .summary("Draws the smoothed displacement field of elastic, for remap.")
        .in_cpp("elastic_field(g, canvas_size(image), {.alpha = 100.f, .sigma = 6.f})");
    return add_elastic_options(add_size(declaration))
        .output<Tensor>("field")
        .infers(field_spec)
        .runs([](Random& random, std::int32_t height, std::int32_t width, float alpha, float sigma,
                 Tensor& out) {
          kernels::elastic_field(random, height, width, {alpha, sigma}, out);
        });
  }();
  return op;
}

const OperatorPtr& grid_field_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("grid_field");
    declaration.family("geometry")
        .summary("Draws the displacement field of grid_distortion, for remap.")
        .in_cpp("grid_field(g, canvas_size(image), {.steps = 4})");
    return add_grid_options(add_size(declaration))
        .output<Tensor>("field")
        .infers(field_spec)
        .runs([](Random& random, std::int32_t height, std::int32_t width, std::int32_t steps,
                 float limit, Tensor& out) {
          kernels::grid_field(random, height, width, {steps, limit}, out);
        });
  }();
  return op;
}

const OperatorPtr& remap_operator() {
  static const OperatorPtr op =
      with_warp_options(declare_operator("remap")
                            .family("geometry")
                            .summary("Deforms the image by a displacement field, such as that of "
                                     "elastic_field or grid_field.")
                            .in_cpp("remap(image, elastic_field(g, canvas_size(image)))")
                            .input<Image>("image")
                            .input<Tensor>("field"))
          .output<Image>("image")
          .runs([](const Image& in, const Tensor& field, Interpolation interpolation, Border border,
                   const FillNumbers& fill, Image& out) {
            kernels::remap("remap", in, field, warp_options(interpolation, border, fill), out);
          });
  return op;
}

const OperatorPtr& grid_distortion_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("grid_distortion");
    declaration.family("geometry")
        .summary("Deforms the image by a grid of cells with random widths and heights.")
        .in_cpp("grid_distortion(image, {.limit = 0.2f})")
        .input<Image>("image");
    return add_grid_options(declaration)
        .choice("interpolation", Interpolation::bilinear, warp_interpolations(),
                "how values between pixels are computed")
        .output<Image>("image")
        .runs([](Random& random, const Image& in, std::int32_t steps, float limit,
                 Interpolation interpolation, Image& out) {
          kernels::grid_distortion(random, in, {steps, limit}, interpolation, out);
        });
  }();
  return op;
}

const OperatorPtr& remap_boxes_operator() {
  static const OperatorPtr op = moving("boxes", kernels::move_boxes_along_curves);
  return op;
}

const OperatorPtr& remap_points_operator() {
  static const OperatorPtr op = moving("points", kernels::move_points_along_curves);
  return op;
}

}  // namespace detail

Value<Tensor> elastic_field(Graph& g, const CanvasSize& size, const ElasticFieldOptions& options) {
  return detail::apply_operator<Tensor>(g.builder(), detail::elastic_field_operator(), size.height,
                                        size.width, options.alpha, options.sigma);
}

Value<Tensor> grid_field(Graph& g, const CanvasSize& size, const GridFieldOptions& options) {
  return detail::apply_operator<Tensor>(g.builder(), detail::grid_field_operator(), size.height,
                                        size.width, options.steps, options.limit);
}

Value<Image> remap(Value<Image> image, Value<Tensor> field, const RemapOptions& options) {
  return apply_operator<Image>(detail::remap_operator(), image, field, options.interpolation,
                               options.border, detail::numbers_of_fill(options.fill));
}

Value<Image> grid_distortion(Value<Image> image, const GridDistortionOptions& options) {
  return apply_operator<Image>(detail::grid_distortion_operator(), image, options.steps,
                               options.limit, options.interpolation);
}

Value<Tensor> remap_boxes(Value<Tensor> boxes, Value<Tensor> field) {
  return apply_operator<Tensor>(detail::remap_boxes_operator(), boxes, field);
}

Value<Tensor> remap_points(Value<Tensor> points, Value<Tensor> field) {
  return apply_operator<Tensor>(detail::remap_points_operator(), points, field);
}

}  // namespace sluice
