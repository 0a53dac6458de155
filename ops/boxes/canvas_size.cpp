#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/boxes/size_parameters.h>
#include <sluice/ops/kernels/crop.h>
#include <sluice/runtime/error.h>

#include <cstdint>
#include <tuple>

namespace sluice {
namespace {

using TwoNumbers = std::tuple<std::int32_t, std::int32_t>;

CanvasSize size_by(const OperatorPtr& op, const auto& of) {
  const auto [height, width] = apply_operator<TwoNumbers>(op, of);
  return {.width = width, .height = height};
}

}  // namespace

const detail::OperatorPtr& detail::canvas_size_operator() {
  static const OperatorPtr op = declare_operator("canvas_size")
                                    .family("boxes")
                                    .summary("How large a picture is.")
                                    .in_cpp("canvas_size(image)")
                                    .input<Image>("image")
                                    .output<std::int32_t>("height")
                                    .output<std::int32_t>("width")
                                    .sees_size()
                                    .runs([](const Image& in) {
                                      return TwoNumbers{in.height(), in.width()};
                                    });
  return op;
}

const detail::OperatorPtr& detail::region_size_operator() {
  static const OperatorPtr op =
      declare_operator("region_size")
          .family("boxes")
          .summary("How large the picture is that crop makes of a region.")
          .in_cpp("canvas_size(region)")
          .input<Rectangle>("region")
          .output<std::int32_t>("height")
          .output<std::int32_t>("width")
          .runs([](const Rectangle& region) {
            return TwoNumbers{region.height, region.width};
          });
  return op;
}

const detail::OperatorPtr& detail::center_region_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("center_region");
    declaration.family("boxes")
        .summary("The rectangle that center_crop takes of a picture of this size.")
        .in_cpp("center_region(canvas_size(image), {.width = 224, .height = 224})");
    return add_size(declaration)
        .parameter<std::int32_t>("crop_height", {.low = 1, .help = "of the middle"})
        .parameter<std::int32_t>("crop_width", {.low = 1, .help = "of the middle"})
        .output<Rectangle>("region")
        .runs([](std::int32_t height, std::int32_t width, std::int32_t crop_height,
                 std::int32_t crop_width) {
          return kernels::center_crop_region(height, width, crop_height, crop_width);
        });
  }();
  return op;
}

CanvasSize canvas_size(Value<Image> image) {
  return size_by(detail::canvas_size_operator(), image);
}
CanvasSize canvas_size(Value<Rectangle> region) {
  return size_by(detail::region_size_operator(), region);
}

Value<Rectangle> center_region(const CanvasSize& size, const CenterCropOptions& options) {
  return apply_operator<Rectangle>(detail::center_region_operator(), size.height, size.width,
                                   options.height, options.width);
}

}  // namespace sluice
