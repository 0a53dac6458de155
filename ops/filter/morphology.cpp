#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/kernels/morphology.h>

#include <cstdint>

namespace sluice {
namespace {

OperatorDeclaration with_window(OperatorDeclaration declaration) {
  const ParameterOptions<std::int32_t> side{
      .value = 3, .low = 1, .high = kernels::kLargestMorphologyWindow, .help = "of the window"};
  declaration.family("filter")
      .input<Image>("image")
      .parameter("window_height", side)
      .parameter("window_width", side)
      .output<Image>("image");
  return declaration;
}

}  // namespace

namespace detail {

const OperatorPtr& dilate_operator() {
  static const OperatorPtr op =
      with_window(declare_operator("dilate")
                      .summary("The largest level in a window; what is light grows.")
                      .in_cpp("dilate(image, {.window_height = 5, .window_width = 5})"))
          .runs([](const Image& in, std::int32_t height, std::int32_t width, Image& out) {
            kernels::dilate(in, {height, width}, out);
          });
  return op;
}

const OperatorPtr& erode_operator() {
  static const OperatorPtr op =
      with_window(declare_operator("erode")
                      .summary("The smallest level in a window; what is dark grows.")
                      .in_cpp("erode(image)"))
          .runs([](const Image& in, std::int32_t height, std::int32_t width, Image& out) {
            kernels::erode(in, {height, width}, out);
          });
  return op;
}

}  // namespace detail

Value<Image> dilate(Value<Image> image, const MorphologyOptions& options) {
  return apply_operator<Image>(detail::dilate_operator(), image, options.window_height,
                               options.window_width);
}

Value<Image> erode(Value<Image> image, const MorphologyOptions& options) {
  return apply_operator<Image>(detail::erode_operator(), image, options.window_height,
                               options.window_width);
}

}  // namespace sluice
